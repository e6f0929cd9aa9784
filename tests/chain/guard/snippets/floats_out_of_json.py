import json


def read(text: str) -> list[int]:
    return json.loads(text)
