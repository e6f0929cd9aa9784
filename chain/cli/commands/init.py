"""Start a new game: a folder with a contract, a test and a script that work at once."""

from __future__ import annotations

from importlib.resources import files
from keyword import iskeyword
from pathlib import Path
from string import Template

import click

from chain.cli import output

_FILES = (
    *("pyproject.toml", "README.md", "contracts/__init__.py", "contracts/game.py"),
    *("scripts/deploy.py", "scripts/play.py", "tests/test_game.py"),
)

# Names that the templates use.
_TAKEN = frozenset(("Address", "Chain", "Contract", "Deployment", "Key", "Map", "Moved"))


@click.command()
@click.argument("name")
@output.json_option
def command(name: str, json: bool) -> None:
    """Create the folder NAME with a small game. Its tests and its script run without changes."""
    folder = Path(name)
    words = [word for word in folder.name.replace("-", "_").split("_") if word]
    cls = "".join(word[:1].upper() + word[1:] for word in words)
    if not cls.isidentifier() or not cls.isascii():
        raise click.UsageError(f"{folder.name!r} cannot name a game: use letters, digits, - and _, a letter first")  # fmt: skip
    module = "_".join(words).lower()
    if iskeyword(module) or iskeyword(cls) or cls in _TAKEN or module.startswith("test_"):
        raise click.UsageError(f"{folder.name!r} means something else in the project: name the game otherwise")  # fmt: skip
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.UsageError(f"{name} is there already: name a new folder")
    for path in _FILES:
        target = folder / path.replace("game.py", f"{module}.py")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_text(path, cls=cls, module=module, name=folder.name), "utf-8")
    if json:
        output.as_json({"folder": name, "contract": cls, "module": f"contracts.{module}"})
        return
    click.echo(f"{cls} is in {name}. Now:\n")
    click.echo(f"    cd {name}\n    pytest\n    boardchain run scripts/play.py")
    click.echo("    boardchain deploy scripts/deploy.py --chain game.chain")


def _text(path: str, **words: str) -> str:
    """Return the text of a file of the project, made from its template."""
    template = files("chain.cli").joinpath("project", f"{path.replace('/', '.')}.txt")
    return Template(template.read_text("utf-8")).substitute(words)
