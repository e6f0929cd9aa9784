def numbers():
    number = 0
    while True:
        yield number
        number += 1


IDS = numbers()
