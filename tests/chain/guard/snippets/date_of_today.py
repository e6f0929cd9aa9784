from datetime import date, datetime as moment


def is_new_year(today: date) -> bool:
    return today == moment.now().date()
