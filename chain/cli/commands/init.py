"""Start a new game: a folder with rules, a contract, and working tests and scripts.

$ boardchain init snakes-and-ladders
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from keyword import iskeyword
from pathlib import Path
from string import Template

import click

from chain.cli import output

# Names that the templates use.
_TAKEN = {
    *("Account", "Address", "Chain", "Contract", "Deployment", "Fuzz", "Handle", "Iterator", "Key"),
    *("Moved", "Proposal", "RaceCreated", "RaceWon", "State", "Vector"),
}


@click.command()
@click.argument("name")
@output.json_option
def command(name: str, json: bool) -> None:
    """Create the folder NAME with a small game. Its tests and its scripts run without changes."""
    folder = Path(name)
    words = [word for word in folder.name.replace("-", "_").split("_") if word]
    cls = "".join(word[:1].upper() + word[1:] for word in words)
    if not cls.isidentifier() or not cls.isascii():
        raise click.UsageError(f"{folder.name!r} cannot name a game: use letters, digits, - and _, a letter first")  # fmt: skip
    module = "_".join(words).lower()
    if iskeyword(module) or iskeyword(cls) or cls in _TAKEN or cls.startswith("Test"):
        raise click.UsageError(f"{folder.name!r} has another meaning in the project: choose another name")  # fmt: skip
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.UsageError(f"{name} already exists: choose a new folder")
    for path, template in _templates(files("chain.cli") / "project", folder):
        target = path.with_name(path.name.replace("gitignore", ".gitignore"))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(template.substitute(cls=cls, module=module, name=folder.name), "utf-8")
    (folder / "contracts" / "game").rename(folder / "contracts" / module)
    if json:
        output.as_json({"folder": name, "contract": cls, "module": f"contracts.{module}"})
        return
    click.echo(f"Created {cls} in {name}. Next:\n")
    click.echo(f"    cd {name}\n    pytest\n    boardchain run scripts/play.py")
    click.echo("    boardchain deploy scripts/deploy.py --chain game.chain")


def _templates(source: Traversable, target: Path) -> Iterator[tuple[Path, Template]]:
    """Yield the files of the project: where each is written, and its template."""
    for entry in source.iterdir():
        path = target / entry.name.removesuffix(".txt")
        if entry.is_dir():
            yield from _templates(entry, path)
        else:
            yield path, Template(entry.read_text("utf-8"))
