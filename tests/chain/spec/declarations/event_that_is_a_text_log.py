from chain import event


@event
class Log:
    text: str
