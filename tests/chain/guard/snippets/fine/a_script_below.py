from chain import Contract, call


class Game(Contract):
    @call
    def move(self) -> None: ...


if __name__ == "__main__":
    import sys

    print(sys.argv, 0.5, Game)
