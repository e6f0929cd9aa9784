from pathlib import Path

HERE = Path(__file__).parent
CARDS = tuple(path.stem for path in HERE.glob("*.json"))
TOOLS = tuple(path.read_text() for path in sorted(HERE.iterdir()))
