def names(players: list[str]) -> str:
    text = ""
    for name in {player.lower() for player in players}:
        text += name
    return text
