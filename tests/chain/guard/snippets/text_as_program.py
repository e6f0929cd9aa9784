def run(rule: str) -> int:
    exec("x = 1")
    return eval(rule)
