def counter():
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return count

    return step
