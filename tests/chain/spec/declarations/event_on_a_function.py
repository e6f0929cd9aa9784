from chain import event


@event
def moved() -> None: ...
