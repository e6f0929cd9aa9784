import heapq

QUEUE: list[int] = []


def wait(player: int) -> None:
    heapq.heappush(QUEUE, player)
