def price(wei: int) -> str:
    return f"{wei:.2f}" + "%.1f" % wei + "{:e}".format(wei) + format(wei, "g")
