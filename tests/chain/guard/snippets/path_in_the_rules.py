from pathlib import Path

CARDS = (Path(__file__).parent / "cards.txt").read_text("utf-8")
