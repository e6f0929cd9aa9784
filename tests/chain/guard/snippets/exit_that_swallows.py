class Attempt:
    def __enter__(self):
        return self

    def __exit__(self, *error) -> bool:
        return True
