def seat(player: str, seats: int) -> int:
    return hash(player) % seats
