"""Verifies receipts: that a transaction's events are in the ledger whose key signed the receipt's checkpoint."""

import hashlib
import re
from typing import Any, Dict, List, Literal, NamedTuple, NoReturn, Optional, Sequence, TypedDict, Union, cast

from ._base64 import bytes_from_base64
from ._charge_events import read_event, status_after
from ._checkpoint import NOT_SIGNED, Checkpoint, PublicKey, open_checkpoint, parse_public_key
from ._flat import UnreadableBytes
from ._json import INTEGER_MAX, parse_integers
from ._merkle import is_included
from .types import TransactionEvent, TransactionStatus

RECEIPT_BYTES_MAX = 64 * 1024 * 1024
DIGEST_BYTES = 32
PROOF_HASHES_MAX = 64
DIGEST_OF_NOTHING = hashlib.sha256().digest()
_PLAIN_NAME = re.compile("[0-9A-Za-z_]{1,64}")
_ID = re.compile("[cC][^\0-\x20\x7f-]{8,63}")
_ANY: Any = object()

ReceiptRefusal = Literal[
    "malformed_receipt",  # not a receipt; or an unknown field, a name twice in an object, a number that is no integer
    "not_signed",  # the key has not signed the checkpoint
    "other_transaction",  # of another transaction than the caller's; otherwise it may be valid
    "not_included",  # an event differs from the ledger's at its position
    "personal_data_differ",  # from what was recorded with the event
    "unreadable_event",  # this release cannot read the bytes of an event
    "wrong_event",  # an event belongs to another stream, or there is a gap, or no event at all
    "shown_differs",  # the readable form of an event differs from its bytes
    "incomplete",  # it has fewer events than its checkpoint states, or the checkpoint is another's
]


class ProvenReceipt(TypedDict):
    ok: Literal[True]
    transactionId: str
    status: TransactionStatus
    # Made from the proven bytes.
    events: List[TransactionEvent]
    # The signed number of the transaction's events as of the checkpoint. None: of 0.1.0, without it.
    streamLength: Optional[int]
    # How many of them lack their personal data: erased, or left out. A None there may have been a text.
    withoutPersonalData: int
    # `pixledger/<ledger id>/<epoch>`
    origin: str
    # How many events the checkpoint signs.
    size: int
    # In hex.
    rootHash: str


class RefusedReceipt(TypedDict):
    ok: Literal[False]
    reason: ReceiptRefusal
    # A sentence, with the field's name if it is about one.
    message: str


VerifiedReceipt = Union[ProvenReceipt, RefusedReceipt]


class _Refusal(Exception):
    def __init__(self, reason: ReceiptRefusal, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def _refuse(reason: ReceiptRefusal, message: str) -> NoReturn:
    raise _Refusal(reason, message)


def _demand(condition: object, problem: str) -> None:
    if not condition:
        _refuse("malformed_receipt", f"It is not a receipt: {problem}.")


class _Given(NamedTuple):
    """An event as the receipt has it."""

    position: int
    leaf: bytes
    personal: Optional[bytes]
    proof: List[bytes]
    shown: Any
    path: str

    @property
    def lacks_personal(self) -> bool:
        """Whether the leaf says that there was personal data."""
        return self.personal is None and self.leaf[-DIGEST_BYTES:] != DIGEST_OF_NOTHING


class _Receipt(NamedTuple):
    transaction_id: str
    checkpoint: str
    events: List[_Given]


def _path_of(parent: str, name: str) -> str:
    # A name unlike ours is not repeated: it may have any content and length.
    return (f"{parent}." if parent else "") + (name if _PLAIN_NAME.fullmatch(name) else "…")


def _demand_fields(value: Any, path: str, names: Sequence[str]) -> None:
    """An object with exactly these fields: others would look as proven as they are."""
    _demand(isinstance(value, dict), f"{path or 'it'} must be an object")
    for name in names:
        _demand(name in value, f"{_path_of(path, name)} is missing")
    for name in value:
        _demand(name in names, f"{_path_of(path, name)} is no field of a receipt")


def _event_of(given: Any, path: str) -> _Given:
    _demand_fields(given, path, ["position", "leaf", "personal", "proof", "event"])
    position, proof = given["position"], given["proof"]
    is_position = isinstance(position, int) and not isinstance(position, bool) and 0 <= position <= INTEGER_MAX
    _demand(is_position, f"{path}.position must be a position: 1, 2, 3, …")
    leaf = bytes_from_base64(given["leaf"]) or b""
    _demand(len(leaf) > DIGEST_BYTES, f"{path}.leaf must be a leaf in base64")
    personal = bytes_from_base64(given["personal"])
    _demand(personal or given["personal"] is None, f"{path}.personal must be null, or bytes in base64")
    is_list = isinstance(proof, list) and len(proof) <= PROOF_HASHES_MAX
    hashes = [bytes_from_base64(each) or b"" for each in proof] if is_list else []
    _demand(
        is_list and all(len(each) == DIGEST_BYTES for each in hashes),
        f"{path}.proof must be a list of at most {PROOF_HASHES_MAX} hashes in base64",
    )
    return _Given(position, leaf, personal, hashes, given["event"], f"{path}.event")


def _json_of(receipt: Union[str, bytes]) -> Any:
    try:
        text = receipt if isinstance(receipt, str) else bytes(receipt).decode("utf-8")
        if len(text.encode("utf-8", "surrogatepass")) <= RECEIPT_BYTES_MAX:
            return parse_integers(text)
    except ValueError:
        pass
    return _demand(False, "it is not JSON, or too long, or has a name twice in an object")


def _parse(receipt: Union[str, bytes]) -> _Receipt:
    whole = _json_of(receipt)
    data, path = whole, ""
    if isinstance(whole, dict) and "data" in whole:
        _demand_fields(whole, "", ["success", "data"])
        _demand(whole["success"] is True, "success must be true")
        data, path = whole["data"], "data"
    _demand_fields(data, path, ["transactionId", "checkpoint", "events"])
    id, checkpoint, events = data["transactionId"], data["checkpoint"], data["events"]
    _demand(isinstance(id, str) and _ID.fullmatch(id), f"{_path_of(path, 'transactionId')} must be an id")
    _demand(isinstance(checkpoint, str), f"{_path_of(path, 'checkpoint')} must be a text")
    _demand(isinstance(events, list), f"{_path_of(path, 'events')} must be a list")
    at = _path_of(path, "events")
    return _Receipt(id, checkpoint, [_event_of(each, f"{at}[{i}]") for i, each in enumerate(events)])


def _difference(said: Any, shown: Any, path: str) -> Optional[str]:
    """The path of the first field that differs; an event has objects in objects only."""
    if not isinstance(said, dict) or not isinstance(shown, dict):
        return None if type(said) is type(shown) and said == shown else path
    for name, value in said.items():
        at = _path_of(path, name)
        found = _difference(value, shown[name], at) if name in shown else at
        if found:
            return found
    added = next((name for name in shown if name not in said), None)
    return None if added is None else _path_of(path, added)


def _read(given: _Given, where: str) -> Dict[str, Any]:
    try:
        return read_event(given.position, given.leaf[:-DIGEST_BYTES], given.personal)
    except UnreadableBytes:
        _refuse("unreadable_event", f"{where} means nothing to this release.")


def _check_place(event: Dict[str, Any], transaction_id: str, before: Sequence[Dict[str, Any]], where: str) -> None:
    is_first = not before
    due = len(before) + 1
    if event["stream"] != f"charge-{transaction_id}":
        _refuse("wrong_event", f"{where} belongs to {event['stream']}.")
    if event["version"] != due:
        _refuse("wrong_event", f"{where} is event {event['version']} of its charge, where event {due} was due.")
    is_creation = event["type"] == "ChargeCreated"
    if is_creation != is_first or (is_first and event["data"]["transactionId"] != transaction_id):
        _refuse("wrong_event", f"{where} is one that no charge has there.")
    if before and event["position"] <= before[-1]["position"]:
        _refuse("wrong_event", f"{where} is before the event in front of it.")


def _check_event(
    given: _Given, transaction_id: str, checkpoint: Checkpoint, before: Sequence[Dict[str, Any]]
) -> Dict[str, Any]:
    where = f"The event at position {given.position}"
    if not is_included(given.leaf, given.position, checkpoint.size, given.proof, checkpoint.root):
        _refuse("not_included", f"{where} is not what the ledger has there.")
    if given.personal and hashlib.sha256(given.personal).digest() != given.leaf[-DIGEST_BYTES:]:
        _refuse("personal_data_differ", f"{where} was recorded with other personal data.")
    event = _read(given, where)
    _check_place(event, transaction_id, before, where)
    field = _difference(event, given.shown, given.path)
    if field:
        _refuse("shown_differs", f"{field} is not what the bytes of the event say.")
    return event


def _check_length(receipt: _Receipt, checkpoint: Checkpoint) -> None:
    """That all events are present that the charge had in the tree of the checkpoint."""
    stream, count = checkpoint.stream, len(receipt.events)
    if not checkpoint.states_streams:  # of 0.1.0
        return
    if stream is None:
        problem = "Its checkpoint was not signed for a receipt: it does not state how many events there are."
        _refuse("incomplete", problem)
    if stream["name"] != f"charge-{receipt.transaction_id}":
        _refuse("incomplete", f"Its checkpoint was signed for the receipt of {stream['name']}.")
    if stream["events"] != count:
        problem = f"It has {count} of the charge's events, and its checkpoint was signed for {stream['events']}."
        _refuse("incomplete", problem)


def _check(given: Union[str, bytes], key: PublicKey, expected_id: str) -> ProvenReceipt:
    receipt = _parse(given)
    checkpoint = open_checkpoint(receipt.checkpoint, key)
    if not checkpoint:
        _refuse("not_signed", NOT_SIGNED)
    if expected_id is not _ANY and receipt.transaction_id != expected_id:
        _refuse("other_transaction", f"It is the receipt of {receipt.transaction_id}.")
    if not receipt.events:
        _refuse("wrong_event", "It has no events.")
    events: List[Dict[str, Any]] = []
    for each in receipt.events:
        events.append(_check_event(each, receipt.transaction_id, checkpoint, events))
    _check_length(receipt, checkpoint)
    return {
        "ok": True,
        "transactionId": receipt.transaction_id,
        "status": cast(TransactionStatus, status_after(events)),
        "events": cast(List[TransactionEvent], events),
        "streamLength": checkpoint.stream["events"] if checkpoint.stream else None,
        "withoutPersonalData": sum(each.lacks_personal for each in receipt.events),
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "rootHash": checkpoint.root.hex(),
    }


def verify_receipt(
    receipt: Union[str, bytes], public_key: Union[str, bytes], *, transaction_id: str = _ANY
) -> VerifiedReceipt:
    """Verifies that a receipt's events are those of its transaction, from the first on and without a gap, all in the
    ledger whose key signed its checkpoint, and as many as it states: the same as `pixledger check-proof`, implemented
    independently. A receipt does not show whether there have been later events.

    `receipt` is a whole reply of the API, its `data`, or the output of `pixledger prove`, as text or bytes: parsing
    drops repeated names. `public_key` is the line of `pixledger checkpoint --public-key`, which names the ledger too;
    or the 32 bytes of the key, for any ledger and epoch that it signs. Do not get it from the giver of the receipt.
    `transaction_id` is the transaction that it must be the receipt of. Give it.
    """
    key = parse_public_key(public_key)
    if not isinstance(receipt, (str, bytes, bytearray)):
        raise TypeError("receipt must be the text or the bytes of a receipt, not what they were parsed to")
    if transaction_id is not _ANY and not isinstance(transaction_id, str):
        raise TypeError("transaction_id must be the id of a transaction")
    try:
        return _check(receipt, key, transaction_id)
    except _Refusal as refusal:
        return {"ok": False, "reason": refusal.reason, "message": str(refusal)}
