from importlib.resources import files
from pathlib import Path

HOME = Path.home() / "cards.json"
HERE = Path("cards.json")
OTHER = files("other")
