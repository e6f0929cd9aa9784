def read(text: str) -> int:
    try:
        return int(text)
    except (KeyError, Exception):
        return 0
    except BaseException:
        return 1
