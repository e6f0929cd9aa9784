def give(item: int | None, owner: object) -> None:
    assert item is not None
    assert isinstance(owner, str), "an owner has a name"
