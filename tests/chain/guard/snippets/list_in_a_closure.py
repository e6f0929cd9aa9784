def made():
    seen = []

    def meet(name: str) -> int:
        seen.append(name)
        return len(seen)

    return meet


meet = made()
