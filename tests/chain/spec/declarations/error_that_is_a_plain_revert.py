from chain import Revert, error


@error
class Error(Revert):
    text: str
