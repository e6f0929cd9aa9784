def load() -> str:
    with open("cards.txt") as file:
        return file.read()
