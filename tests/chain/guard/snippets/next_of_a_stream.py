def first(moves):
    return anext(aiter(moves))
