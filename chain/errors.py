"""The errors, in four families.

A deliberate refusal (`Revert`), a mistake of the author (`DeclarationError`), a transaction that cannot be in any block
(`InvalidTransaction`), and a failed call as the caller outside sees it (`Reverted`). `FatalHalt` is internal: it ends a
message and uses all its gas, and no contract can catch it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from types import GeneratorType
from typing import Any, Final

# Types whose values may be true or false and are often used as conditions.
_OPEN: Final = frozenset({int, str, bytes, list, dict, set})


class Revert(Exception):
    """A deliberate refusal: it undoes the message and gives the caller the reason.

    Raise it with a text, or subclass it under `@error` to carry typed fields. Catch it to continue after another
    contract refused.

    >>> raise Revert("Not your turn")
    Traceback (most recent call last):
        ...
    chain.errors.Revert: Not your turn
    >>> refusal = TooEarly(opens=90)
    >>> refusal.opens, refusal.text, refusal.data
    (90, '', None)
    """

    __error__: Any = None  # the ErrorSpec, set by @error
    text = ""  # the reason in words
    data: bytes | None = None  # the raw revert data, if another contract refused

    def __init__(self, text: str = "", *, data: bytes | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.data = data


class DeclarationError(TypeError):
    """A contract, model, event or error was declared in a way that cannot work.

    Each of `findings` has file, line and remedy. The text lists them all.

    >>> class Broken(Contract):
    ...     speed: float
    Traceback (most recent call last):
        ...
    chain.errors.DeclarationError: <doctest DeclarationError[0]>:2: Broken.speed: 'float' is not exact on every machine; ...
    """

    findings: tuple[Any, ...]  # the text of each

    def __init__(self, *findings: str, of: str = "this") -> None:
        listed = "".join(f"\n  {finding}" for finding in findings)
        count = f"the declaration of {of} has {len(findings)} mistakes:{listed}"
        super().__init__(findings[0] if len(findings) == 1 else count)
        self.findings = findings


class GuardError(DeclarationError):
    """A contract may behave differently on another machine or in another run.

    Each of `findings` says where, why, and what to write instead.
    """

    def __init__(self, contract: str, findings: Sequence[Any]) -> None:
        listed = "".join(f"\n  {finding}" for finding in findings)
        super().__init__(
            f"{contract} is not deployed: the guard found code that no contract may contain:{listed}"
        )
        self.contract, self.findings = contract, tuple(findings)


class Unfit(Enum):
    """The reasons why no block can hold a transaction that clients recognize, in geth's wording."""

    NONCE_TOO_LOW = "nonce too low"
    NONCE_TOO_HIGH = "nonce too high"
    FEE_TOO_LOW = "max fee per gas less than block base fee"
    GAS_TOO_LOW = "intrinsic gas too low"
    NO_FUNDS = "insufficient funds for gas * price + value"
    SENDER_IS_CONTRACT = "sender not an eoa"
    INITCODE_TOO_LARGE = "max initcode size exceeded"


class InvalidTransaction(ValueError):
    """A transaction that no block can hold: wrong nonce, no funds, too little gas for its own bytes.

    Its text begins with geth's wording, by which clients recognize the reason, followed by an explanation.

    >>> chain.send(bob, gas=100, sender=alice)
    Traceback (most recent call last):
        ...
    chain.errors.InvalidTransaction: intrinsic gas too low: it has 100 gas, its bytes alone take 21000
    """

    def __init__(self, text: str, reason: Unfit | None = None) -> None:
        super().__init__(text if reason is None else f"{reason.value}: {text}")
        self.reason = reason  # one of `Unfit`, if clients recognize the reason


class FatalHalt(BaseException):
    """Ends a message immediately and uses all its gas. It is not an `Exception`, so a contract cannot catch it."""


class UndeclaredContract(BaseException):
    """A message reached a Python contract whose class is not declared here. This is not an outcome, so nothing is recorded."""

    def __init__(self, address: str, reason: str | None = None) -> None:
        super().__init__(
            f"at {address} is a Python contract, and its class, as it was at the deployment, is not declared here:"
            f"{f' {reason};' if reason else ''} pass it to Chain.open(…, contracts=[…]) or to chain.declare;"
            " or replace it with the present class by chain.upgrade"
        )


class UnknownCode(UndeclaredContract):
    """A deployment or an upgrade needs a class that is not declared here."""

    def __init__(self, digest: bytes) -> None:
        BaseException.__init__(
            self,
            f"no contract with digest 0x{digest.hex()} was declared on this chain: pass its class to "
            "chain.declare; a node loads an edited package on 'boardchain reload', or automatically "
            "with 'boardchain node --reload'",
        )


class LimitExceeded(Exception):
    """A message computed for too long, or took too much memory. That is not an outcome, and it has no effect.

    >>> quick = Chain(time_limit=0.5, memory_limit=2**28)  # seconds and bytes; None is no limit
    >>> try:
    ...     quick.deploy(Race).roll().ok
    ... except LimitExceeded as ended:
    ...     print(ended)  # with the line that ran
    True
    """


class OutOfGas(FatalHalt):
    """The message needed more gas than it had."""


class Reverted(Exception):
    """A call failed. `receipt` is its full record; for a view it is the `CallResult`.

    >>> race.roll(value=1)
    Traceback (most recent call last):
        ...
    chain.errors.Reverted: Race.roll takes no value: it is not payable
    """

    def __init__(self, receipt: Any) -> None:
        super().__init__(str(receipt.error))
        # The `Receipt` of the failed call, or the `CallResult` of a failed view.
        self.receipt = receipt

    @property
    def error(self) -> Any:
        """The reason, as in the receipt."""
        return self.receipt.error


def require(condition: object, text: str) -> None:
    """Revert with `text` unless `condition` holds. A condition that is always true is refused, as it checks nothing.

    >>> require(3 > 2, "Too few players")
    >>> require([], "No players")
    Traceback (most recent call last):
        ...
    chain.errors.Revert: No players
    """
    if condition is True:
        return
    if not isinstance(text, str):
        raise TypeError(f"the second argument of require(condition, text) is a text, not {text!r}")
    if not condition:
        raise Revert(text)
    if type(condition) not in _OPEN and _is_always_true(condition):
        raise TypeError(f"require needs a condition, and {_described(condition)} is always true")


def _is_always_true(value: Any) -> bool:
    """True if a value is always true: a function, a class, a generator, or a pair of a condition and a text."""
    if isinstance(value, tuple):
        return len(value) == 2 and isinstance(value[1], str) and not isinstance(value[0], str)
    if callable(value):
        return not hasattr(type(value), "__bool__") and not hasattr(type(value), "__len__")
    return isinstance(value, GeneratorType)


def _described(value: Any) -> str:
    if isinstance(value, GeneratorType):
        return "a generator"
    if isinstance(value, tuple):
        return "a pair of a condition and a text"
    name = getattr(value, "__name__", type(value).__name__)
    return f"the class {name}" if isinstance(value, type) else f"the function {name}, uncalled,"
