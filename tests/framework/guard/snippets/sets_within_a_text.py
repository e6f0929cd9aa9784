def told(names: list[str]) -> str:
    groups = [set(names), {"a"}]
    return "%s: " % (set(names),) + str(groups) + f"{groups}"
