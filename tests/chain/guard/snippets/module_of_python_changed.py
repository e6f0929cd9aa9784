import string


def letters() -> str:
    string.digits = "01"
    return string.digits
