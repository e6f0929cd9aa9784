def rule(name: str):
    return globals()[name] or vars()[name]
