"""JSON for texts that are signed or checked: about which no two readers may differ."""

import json
import re
from typing import Any, Dict, List, Tuple

DEPTH_MAX = 100
INTEGER_MAX = 2**53 - 1
INTEGER_DIGITS_MAX = 17
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
# Strings, which may contain brackets, and brackets. A string without an end is one, too: looking for the end again from
# each quote in it would take for ever.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name comes twice")
    return value


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _integer(text: str) -> Any:
    if len(text) > INTEGER_DIGITS_MAX or abs(int(text)) > INTEGER_MAX:
        raise ValueError("an integer is too large to be held exactly")
    return -0.0 if text == "-0" else int(text)


def _no_float(text: str) -> Any:
    raise ValueError(f"{text} is not an integer")


def _check_depth(text: str) -> None:
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        depth += 1 if token in "[{" else -1 if token in "]}" else 0
        if depth > DEPTH_MAX:
            raise ValueError("it is nested too deeply")


def _parse(text: str, **hooks: Any) -> Any:
    _check_depth(text)
    value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, **hooks)
    if _HALF_CHARACTER.search(text):
        json.dumps(value, ensure_ascii=False).encode()  # raises for one without its other half
    return value


def parse_strictly(text: str) -> Any:
    """Raises ValueError for anything but JSON, if an object repeats a name, below DEPTH_MAX levels, and for halves of
    characters."""
    return _parse(text)


def parse_integers(text: str) -> Any:
    """The same, which also raises for numbers that are no integers or too large to be held exactly."""
    return _parse(text, parse_int=_integer, parse_float=_no_float)
