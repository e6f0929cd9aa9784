def read(text: str) -> int:
    try:
        return int(text)
    except:
        return 0
