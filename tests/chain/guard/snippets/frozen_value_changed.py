from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    price: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "price", abs(self.price))
