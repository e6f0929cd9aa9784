def told() -> str:
    return f"{object()}"
