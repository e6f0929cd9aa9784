def depth(tree) -> int:
    try:
        return 1 + depth(tree.left)
    except RecursionError:
        return 1000
