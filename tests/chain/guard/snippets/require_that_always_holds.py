from chain import require


def is_open() -> bool:
    return False


class Table:
    def join(self, n: int, name: str) -> None:
        require((n < 4, "The table is full"), "no")
        require("The table is full", n < 4)
        require(f"{name} may play", n < 4)
        require(lambda: n < 4, "The table is full")
        require((each < n for each in range(4)), "The table is full")
        require([n < 4], "The table is full")
        require({"n": n}, "The table is full")
        require(is_open, "It is closed")
        require(not n or is_open, "It is closed")
        require(n == 1 or 2, "One or two")
        require(name == "red" or "blue", "A colour")
        require(n != 1 or n != 2, "Neither one nor two")
        assert (n < 4, "The table is full")
        if n == 1 or 2:
            return
