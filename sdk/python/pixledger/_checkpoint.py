"""Checkpoints: C2SP tlog-checkpoint in C2SP signed-note, with Ed25519."""

import hashlib
import re
from typing import List, Literal, NamedTuple, Optional, TypedDict, Union

from ._base64 import bytes_from_base64
from ._ed25519 import verify
from ._json import INTEGER_DIGITS_MAX, INTEGER_MAX

NOTE_BYTES_MAX = 64 * 1024
KEY_BYTES = 32
KEY_ID_BYTES = 4
ED25519_ALGORITHM = b"\1"
_VERIFIER_LINE = re.compile(r"([!-*,-~]+)\+([0-9a-f]{8})\+([^\n]+)\n?\Z")
_ORIGIN = re.compile(r"pixledger/[0-9a-f]{32}/(0|[1-9][0-9]{0,9})\Z")
_STREAM_LINE = re.compile(r"stream ([a-z]+-[^ ]+) ([1-9][0-9]{0,9})\Z")
WRONG_KEY = (
    "public_key must be the line that `pixledger checkpoint --public-key` prints, or the 32 bytes of an Ed25519 key"
)


class PublicKey(NamedTuple):
    key: bytes
    name: Optional[str]  # the ledger's; None: of any


class Stream(TypedDict):
    name: str
    events: int


class Checkpoint(NamedTuple):
    origin: str
    size: int
    root: bytes
    states_streams: bool  # those of 0.1.0 do not
    stream: Optional[Stream]  # of a receipt's


class SignedCheckpoint(TypedDict):
    ok: Literal[True]
    # `pixledger/<ledger id>/<epoch>`
    origin: str
    # How many events it signs.
    size: int
    # In hex.
    rootHash: str
    # Which charge it was signed for, and how many events that has; None if it names none.
    stream: Optional[Stream]


class UnsignedCheckpoint(TypedDict):
    ok: Literal[False]
    reason: Literal["not_signed"]
    message: str


VerifiedCheckpoint = Union[SignedCheckpoint, UnsignedCheckpoint]
NOT_SIGNED = "Its checkpoint is not signed by that key."


def _key_id(name: str, key: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + ED25519_ALGORITHM + key).digest()[:KEY_ID_BYTES]


def parse_public_key(given: Union[str, bytes]) -> PublicKey:
    if isinstance(given, (bytes, bytearray)) and len(given) == KEY_BYTES:
        return PublicKey(bytes(given), None)
    if not isinstance(given, (str, bytes, bytearray)):
        raise TypeError(WRONG_KEY)
    line = _VERIFIER_LINE.match(given) if isinstance(given, str) else None
    encoded = bytes_from_base64(line[3]) if line else None
    if not line or not encoded or len(encoded) != 1 + KEY_BYTES or encoded[:1] != ED25519_ALGORITHM:
        raise ValueError(WRONG_KEY)
    if _key_id(line[1], encoded[1:]).hex() != line[2]:
        raise ValueError(WRONG_KEY)
    return PublicKey(encoded[1:], line[1])


def _open_note(note: str, name: str, key: bytes) -> Optional[str]:
    """The text that the key has signed; None for anything else. Ignores signatures of other keys."""
    text, gap, signatures = note.rpartition("\n\n")
    lines = signatures.split("\n")
    # The last line ends, too; a note has no control character and no half of a character.
    if not gap or len(lines) < 2 or lines.pop() != "" or re.search("[\0-\x09\x0b-\x1f]", note):
        return None
    try:
        if len(note.encode()) > NOTE_BYTES_MAX:
            return None
    except UnicodeEncodeError:
        return None
    text += "\n"
    key_id = _key_id(name, key)
    is_signed = False
    for line in lines:
        if not line.startswith("\u2014 "):
            return None
        if not line.startswith(f"{name} ", 2):
            continue
        signature = bytes_from_base64(line[2 + len(name) + 1 :])
        if not signature:
            return None
        if signature[:KEY_ID_BYTES] != key_id:
            continue
        if not verify(key, text.encode(), signature[KEY_ID_BYTES:]):
            return None
        is_signed = True
    return text if is_signed else None


def _is_below(text: str, limit: int) -> bool:
    return len(text) <= INTEGER_DIGITS_MAX and int(text) < limit


def open_checkpoint(note: str, given: PublicKey) -> Optional[Checkpoint]:
    """What a checkpoint says that the key has signed; None for anything else."""
    origin = note.split("\n", 1)[0]
    if given.name is None:
        form = _ORIGIN.match(origin)
        if not form or not _is_below(form[1], 2**32):
            return None
    elif given.name != origin:
        return None
    text = _open_note(note, origin, given.key)
    if text is None:
        return None
    lines = text.split("\n")
    # The last line ends, and none is empty.
    if lines.pop() != "" or len(lines) < 3 or "" in lines:
        return None
    root = bytes_from_base64(lines[2])
    if not re.match(r"(0|[1-9][0-9]*)\Z", lines[1]) or not _is_below(lines[1], INTEGER_MAX + 1):
        return None
    if root is None or len(root) != 32:
        return None
    return _with_stream(Checkpoint(origin, int(lines[1]), root, False, None), lines[3:])


def _with_stream(checkpoint: Checkpoint, extensions: List[str]) -> Optional[Checkpoint]:
    """With the content of the line about streams; None for another form of it, or a second one."""
    lines = [line for line in extensions if line.startswith("stream ")]
    if not lines:
        return checkpoint
    if lines == ["stream - 0"]:
        return checkpoint._replace(states_streams=True)
    form = _STREAM_LINE.match(lines[0])
    if len(lines) > 1 or not form or not _is_below(form[2], 2**32):
        return None
    return checkpoint._replace(states_streams=True, stream={"name": form[1], "events": int(form[2])})


def verify_checkpoint(checkpoint: str, public_key: Union[str, bytes]) -> VerifiedCheckpoint:
    """Verifies that the ledger's key has signed a checkpoint, and returns what that says.

    `public_key` is the line of `pixledger checkpoint --public-key`, which names the ledger too; or the 32 bytes of the
    key, for any ledger and epoch that it signs.
    """
    key = parse_public_key(public_key)
    if not isinstance(checkpoint, str):
        raise TypeError("checkpoint must be a text")
    found = open_checkpoint(checkpoint, key)
    if not found:
        return {"ok": False, "reason": "not_signed", "message": NOT_SIGNED}
    return {
        "ok": True,
        "origin": found.origin,
        "size": found.size,
        "rootHash": found.root.hex(),
        "stream": found.stream,
    }
