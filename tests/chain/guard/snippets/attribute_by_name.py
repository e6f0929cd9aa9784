def score(state, kind: str) -> int:
    if hasattr(state, kind):
        setattr(state, kind, 0)
    return getattr(state, f"{kind}_points") + sum(map(getattr, [state], [kind]))
