from bisect import insort
import heapq

QUEUE: list[int] = []


def wait(self, player: int) -> None:
    heapq.heappush(QUEUE, player)
    insort(QUEUE, player)
    self.random.shuffle(QUEUE)
