from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class State:
    homes: frozenset[str]
    ways: dict[str, set[str]]


def draw(state: State, home: str) -> list[str]:
    roads = [way for way in state.ways[home]]
    return [home for home in state.homes] + roads
