def both(players: set[str]) -> tuple[str, ...]:
    first, second = players
    return (first, second, *players, *sorted(players))
