from pathlib import Path

HERE = Path(__file__).parent


def note(text: str) -> None:
    (HERE / "notes.txt").write_text(text)
    HERE.joinpath("more").mkdir()
