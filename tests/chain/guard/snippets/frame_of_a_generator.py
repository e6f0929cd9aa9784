def peek(row):
    steps = (each for each in row)
    return str(steps.gi_frame)
