def by_letter(names: list[str]) -> list[str]:
    found = {}
    for name in names:
        found.setdefault(name[0], set()).add(name)
    return [name for letter in found for name in found[letter]]
