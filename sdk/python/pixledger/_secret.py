"""Keeps keys and secrets out of texts: of `repr`, logs, and tracebacks that show local variables."""

from typing import Callable, NoReturn


class Secret:
    """A text that only `reveal` shows. Call it within an expression: a local variable would appear in tracebacks."""

    __slots__ = ("reveal",)

    def __init__(self, text: str) -> None:
        self.reveal: Callable[[], str] = lambda: text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret cannot be serialised")
