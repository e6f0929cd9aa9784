class Game:
    count = 0

    @classmethod
    def open(cls) -> None:
        cls.count += 1

    def close(self) -> None:
        Game.count -= 1
        type(self).count -= 1
