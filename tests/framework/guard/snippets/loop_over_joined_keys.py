def totals(red: dict[str, int], blue: dict[str, int]) -> dict[str, int]:
    return {name: red.get(name, 0) + blue.get(name, 0) for name in red.keys() | blue.keys()}
