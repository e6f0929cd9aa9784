def share(part: int) -> str:
    return f"share: {part:>8.0%}"
