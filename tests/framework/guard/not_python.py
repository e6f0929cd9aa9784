def play(:
    pass
