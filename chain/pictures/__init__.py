"""Pictures of boards: SVG made of named parts, from a game's pure function `picture(state)`.

A game has `picture` in the file `picture.py` next to its contract, and also `read_state(game, game_id)`, which reads a
board from a handle of a chain or of its past. May import nothing else of the chain. Begin with `picture`, then
`boards`.
"""

from chain.pictures.boards import Boards, board_picture, boards_of, picture_of
from chain.pictures.markup import Markup, circle, element, group, join, path, rect, shorten, text
from chain.pictures.notebook import load_ipython_extension
from chain.pictures.picture import Part, Picture, picture_of_parts, picture_of_text

__all__ = [
    "Boards",
    "Markup",
    "Part",
    "Picture",
    "board_picture",
    "boards_of",
    "circle",
    "element",
    "group",
    "join",
    "load_ipython_extension",
    "path",
    "picture_of",
    "picture_of_parts",
    "picture_of_text",
    "rect",
    "shorten",
    "text",
]
