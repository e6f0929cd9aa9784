import threading


def play(move) -> None:
    threading.Thread(target=move).start()
