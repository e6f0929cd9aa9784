def copy(state):
    return state.__class__(**state.__dict__)
