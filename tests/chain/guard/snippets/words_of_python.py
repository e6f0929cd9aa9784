import json

from chain import Revert


def read(text: str, table: dict[str, int]) -> int:
    try:
        return table[json.loads(text, parse_float=str)]
    except KeyError as wrong:
        raise Revert(f"no such card: {wrong}") from wrong
    except json.JSONDecodeError as wrong:
        raise Revert(wrong.msg) from None
