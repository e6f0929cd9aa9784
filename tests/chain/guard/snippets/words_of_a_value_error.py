from enum import Enum


class Color(Enum):
    RED = "red"


def read(text: str) -> Color:
    try:
        return Color(text)
    except (KeyError, ValueError) as wrong:
        raise ValueError("no such color") from wrong


def number(text: str) -> str:
    try:
        return f"{int(text)}"
    except ValueError as wrong:
        return f"no number: {wrong}"
