from chain import Contract


class Helper:
    def help(self) -> None:
        self.helped = True


class Game(Helper, Contract): ...
