def folder() -> str:
    return __file__.rpartition("/")[0]
