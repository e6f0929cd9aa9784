def refuse(move) -> str:
    return "%r is no move" % move + "{0!r}".format(move)
