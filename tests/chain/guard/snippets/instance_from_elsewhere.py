class Card:
    def __new__(cls, name: str) -> "Card":
        return super().__new__(cls)

    def __init_subclass__(cls) -> None: ...

    def __del__(self) -> None: ...
