def price(wei: int) -> str:
    text = "%.1f" % wei
    text += "{:e}".format(wei)
    text += f"{wei:.2f}"
    return text
