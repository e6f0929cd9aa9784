"""Draws the pictures of the README: a board of each game from a recorded play, with its last move outlined.

`python scripts/draw_boards.py` writes `chain/guides/boards/<game>.svg`: not beside the games, because the digest of a contract
that reads files covers all that lie in its folder.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

from chain.pictures import Picture

GUIDES: Final = Path(__file__).parents[1] / "chain" / "guides"
POSITIONS: Final = {  # of each game one before and one after a move
    "blokus": (
        "a16bbb/a3aaaaa8b1b/a1aa5a1aa3b3/aa1a4aa1a3bbb2/3a1a2a1aa2b3bb/2a1aa3bb3bbbb1b/2aa2a1aa1bbb6/2aa1aaa1"
        "a2bb6/6a1aab3bbb3/1ddd1a2dbbb4b3/d2dda1dd1cb2bb1bbb/dd2aa2d1ccbbb3cb/1d2a3dc1c6cb/2d4d1c2c2c2c1/1ddd"
        "1ddd1c2c1cc2c1/4d2d3c1c3c2/2ddd3dddccc3ccc/2d5ddc3ccc3/dd1dddd3cccc1cc1c1/dd1d3ddd7ccc 1 original F5"
        ",I1,I2,I3,I4,O4,T4,T5,V5,W5,Y5+Z5 I1,I3,I4,I5,O4,T5,W5,X5,Y5,Z4,Z5+V3 F5,I1,I5,N5,O4,T5,V5,W5,X5,Y5,"
        "Z5+L5 F5,I1,I2,I4,I5,L4,U5,V3,V5,W5,X5+I3",
        "a13a2bbb/a3aaaaa4aa2b1b/a1aa5a1aa1aab3/aa1a4aa1a3bbb2/3a1a2a1aa2b3bb/2a1aa3bb3bbbb1b/2aa2a1aa1bbb6/2"
        "aa1aaa1a2bb6/6a1aab3bbb3/1ddd1a2dbbb4b3/d2dda1dd1cb2bb1bbb/dd2aa2d1ccbbb3cb/1d2a3dc1c6cb/2d4d1c2c2c2"
        "c1/1ddd1ddd1c2c1cc2c1/4d2d3c1c3c2/2ddd3dddccc3ccc/2d5ddc3ccc3/dd1dddd3cccc1cc1c1/dd1d3ddd7ccc 2 orig"
        "inal I1,I2,I3,I4,O4,T4,T5,V5,W5,Y5+F5 I1,I3,I4,I5,O4,T5,W5,X5,Y5,Z4,Z5+V3 F5,I1,I5,N5,O4,T5,V5,W5,X5"
        ",Y5,Z5+L5 F5,I1,I2,I4,I5,L4,U5,V3,V5,W5,X5+I3",
    ),
    "deblockle": (
        "Roll 1 - 1e5:236 1c6:426 1e7:563 2c5:412 2e1:236 2c3:236",
        "Hop 1 d7 1e5:236 1c6:426 1d7:362 2c5:412 2e1:236 2c3:236",
    ),
    "mage_duel": (
        "MRMMCMMM/MMMCMMMR/MMRCMMMM/RMCMMMMM .O0o2J1G0j3N1n3/f2o0O0n1K1e1d1f2/f3O0N0.F3.../.......V2/...n1O3o"
        "1.a3/.N1.l1V3j2../.k2L0G2b0N3../X2F0e2X0k1W3k0. f adddeggjjjkkkllllnnovwwwxx 3,0 30,36 62,26 Rk0@67 "
        "40 1756378788 -",
        "MRMMCMMM/MMMCMMMR/MMRCMMMM/RMCMMMMM .O0o2J1G0j3N1n3/f2o0O0n1K1e1d1f2/f3O0N0.F3.../.......V2/...n1O3o"
        "1.a3/.N1.l1V3j2../F0k2L0G2b0N3../X2F0e2X0k1W3k0. w adddeggjjjkkkllllnnovwwxx 3,0 34,38 62,26 Bf0@06 "
        "41 1756378819 -",
    ),
    "sagrada": (
        "9 1.1.1.1.1.2.2.3.0.0 P1q.R1n.Y2q.P5r.B3d.Y6n.Y1h.B3m.B5g.B6q.R5l.Y5p 500360001330050102036420003335"
        "060020600004506640025000603000260010006253140000152600051200 B6r.G4p.G1a P6c - u 0/0 20.17.14 11:1.7"
        ":7.6:0 1@0:0.1.1.0 ada:0:27:Via%20Lux:4:Y.6...15.23YRP...43R:Y1gR4i.B4kY5kP5hG1cY5cR3h.B3hY4l..Y4bY6"
        "jP3lR4bB3jR6f bruno:1:23:Lux%20Astram:5:.1GP46P25G1G53P.....:B5iP1eG4n..R6p...G4b.G1kR5gB3e.P1oY3aG6"
        "dY2mB1l",
        "9 1.1.1.1.1.2.2.3.0.0 P1q.R1n.Y2q.P5r.B3d.Y6n.Y1h.B3m.B5g.B6q.R5l.Y5p 500360001330050102036420003335"
        "060020600004506640025000603000260010006253140000152600051200 B6r.G4p.G1a - - pu 0/0 20.17.14 11:1.7:"
        "7.6:0 1@0:0.1.1.0 ada:0:27:Via%20Lux:4:Y.6...15.23YRP...43R:Y1gR4i.B4kY5kP5hG1cY5cR3h.B3hY4l..Y4bY6j"
        "P3lR4bB3jR6f bruno:1:23:Lux%20Astram:5:.1GP46P25G1G53P.....:B5iP1eG4n..R6p...G4b.G1kR5gB3eP6cP1oY3aG"
        "6dY2mB1l",
    ),
}


def main() -> None:
    for game in POSITIONS:
        path = file_of(game)
        path.write_text(drawn(game), "utf-8")
        print(path.relative_to(GUIDES.parents[1]))


def file_of(game: str) -> Path:
    return GUIDES / "boards" / f"{game}.svg"


def drawn(game: str) -> str:
    """The content of the picture's file."""
    rules: Any = import_module(f"contracts.{game}.rules")
    picture: Any = import_module(f"contracts.{game}.picture").picture
    pictures: list[Picture] = [picture(rules.from_text(line)) for line in POSITIONS[game]]
    before, after = pictures
    return after.since(before).svg(dark=True) + "\n"


if __name__ == "__main__":
    main()
