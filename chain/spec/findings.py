"""The findings in a declaration: each independent check adds its own, and one error lists them at the end."""

from __future__ import annotations

from types import TracebackType

from chain.errors import DeclarationError
from chain.values.hints import UnsupportedAnnotation


class Findings:
    """The findings in the declaration of `name`. `with findings:` around a check adds what it refuses, and goes on after it."""

    def __init__(self, name: str, members: set[str] | None = None) -> None:
        self.name = name
        self._texts: dict[str, None] = {}
        # Those about members of dataclasses, which are reported once, wherever these are used.
        self._members = set[str]() if members is None else members

    def part(self) -> Findings:
        """Return the findings in a part of the declaration, which that part reports."""
        return Findings(self.name, self._members)

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        if isinstance(error, DeclarationError):
            self._texts |= dict.fromkeys(error.findings)
        return isinstance(error, DeclarationError)

    def __bool__(self) -> bool:
        return bool(self._texts)

    def refusal(self, place: str, subject: str, wrong: UnsupportedAnnotation) -> DeclarationError:
        """Return the error about an annotation. It has no findings if they are reported already."""
        texts = [text for text in wrong.texts if text not in self._members]
        if wrong.is_of_member:
            self._members.update(texts)
        return DeclarationError(*(f"{place}: {subject}: {text}" for text in texts))

    def report(self) -> None:
        """Raise the error that lists the findings, if there are any."""
        if self._texts:
            raise DeclarationError(*sorted(self._texts, key=_place), of=self.name)


def _place(finding: str) -> tuple[str, int]:
    """Return the file and the line with which a finding begins."""
    file, _, line = finding.partition(": ")[0].rpartition(":")
    return file, int(line)
