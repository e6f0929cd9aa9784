from pathlib import Path

HERE = Path(__file__).parent


def load() -> str:
    return (HERE / "cards.json").read_text("utf-8")


class Library:
    def cards(self) -> str:
        return load()

    def names(self) -> str:
        return (HERE / "names.txt").read_text("utf-8")
