class Stop(BaseException): ...


def stop() -> None:
    raise SystemExit
