"""Verifies that webhooks come from pixledger."""

import hashlib
import hmac
import math
import re
import time
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Protocol, Sequence, Tuple, Union, cast

from ._base64 import bytes_from_base64
from ._errors import WebhookVerificationError
from ._json import parse_strictly
from ._secret import Secret
from ._times import iso_time
from .types import Webhook

SIGNATURE_HEADERS = ("x-webhook-signature", "x-webhook-signature-next", "x-webhook-signature-between")
SIGNATURES_MAX = 8  # more than any webhook has
MAC_BYTES = 32
VERSIONS = ("v1", "v2", "standard")
_V1_FORM = re.compile(r"([0-9a-f]{64})\Z")
_V2_FORM = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})\Z")
_TIME_FORM = re.compile(r"[0-9]{1,12}\Z")


class Headers(Protocol):
    """A mapping of texts or lists of texts, the headers of http.server, or a WSGI environment."""

    def items(self) -> Iterable[Tuple[str, Any]]:
        ...


class _Signature(NamedTuple):
    version: str
    mac: bytes
    prefix: bytes  # of the signed text, before the body
    timestamp: Optional[int]


def _canonical(name: object) -> str:
    """In lower case with hyphens; WSGI names are HTTP_X_WEBHOOK_ID."""
    text = str(name).lower().replace("_", "-")
    return text[5:] if text.startswith("http-") else text


class _Headers:
    def __init__(self, headers: Any) -> None:
        if not hasattr(headers, "items"):
            raise TypeError("headers must be those of the request")
        self._values: "dict[str, str]" = {}
        for name, value in headers.items():
            if isinstance(value, str):
                text = value
            elif isinstance(value, (list, tuple)):
                text = ", ".join(map(str, value))
            else:
                continue  # what else WSGI has
            key = _canonical(name)
            self._values[key] = f"{self._values[key]}, {text}" if key in self._values else text

    def get(self, name: str) -> Optional[str]:
        return self._values.get(name)

    def number(self, name: str) -> Optional[int]:
        text = self._values.get(name, "")
        return int(text) if re.fullmatch("[0-9]{1,15}", text) else None


def _keys_of(secret: Any) -> List[Secret]:
    """Empty if the secret is invalid."""
    given = [secret] if isinstance(secret, str) else secret
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, str) and each for each in given):
        return []
    return [Secret(each) for each in given]


def _body_bytes(raw_body: Any) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode("utf-8", "surrogatepass")
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise TypeError("raw_body must be the bytes as they arrived: not a parsed body")


def _split(texts: List[str]) -> List[str]:
    """At most SIGNATURES_MAX, of one header after the other."""
    return [each for text in texts for each in text.split(" ", SIGNATURES_MAX)[:SIGNATURES_MAX]][:SIGNATURES_MAX]


def _malformed() -> WebhookVerificationError:
    return WebhookVerificationError("The webhook's signature has none of the known forms.", "malformed_signature")


def _parse_signature(text: str) -> _Signature:
    v1, v2 = _V1_FORM.match(text), _V2_FORM.match(text)
    if v1:
        return _Signature("v1", bytes.fromhex(v1[1]), b"", None)
    if v2:
        return _Signature("v2", bytes.fromhex(v2[2]), f"{v2[1]}.".encode(), int(v2[1]))
    raise _malformed()


def _standard_signatures(headers: _Headers, given: str) -> List[_Signature]:
    """Those of https://www.standardwebhooks.com."""
    id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp")
    if id is None or timestamp is None:
        problem = "The webhook has a webhook-signature without webhook-id or webhook-timestamp."
        raise WebhookVerificationError(problem, "missing_header")
    if not _TIME_FORM.match(timestamp):
        raise _malformed()
    prefix = f"{id}.{timestamp}.".encode("utf-8", "surrogatepass")
    signatures = []
    for text in _split([given]):
        mac = bytes_from_base64(text[3:]) if text.startswith("v1,") else None
        if mac and len(mac) == MAC_BYTES:
            signatures.append(_Signature("standard", mac, prefix, int(timestamp)))
        elif not text.startswith("v1a,"):  # of a public key
            raise _malformed()
    if not signatures:
        raise _malformed()
    return signatures


def _signatures(headers: _Headers) -> List[_Signature]:
    """X-Webhook-Signature goes first: a webhook of ours has both."""
    texts = [text for text in map(headers.get, SIGNATURE_HEADERS) if text is not None]
    if texts:
        return [_parse_signature(text) for text in _split(texts)]
    standard = headers.get("webhook-signature")
    if standard is not None:
        return _standard_signatures(headers, standard)
    raise WebhookVerificationError("The webhook has no X-Webhook-Signature.", "missing_header")


def _standard_key(secret: str) -> bytes:
    """Standard Webhooks have the bytes after whsec_ as the key. Other secrets have none there: an empty one would fit
    what anyone signs."""
    return bytes_from_base64(secret[6:]) or b"" if secret.startswith("whsec_") else b""


def _fits(signature: _Signature, body: bytes, secret: Secret) -> bool:
    is_standard = signature.version == "standard"
    if is_standard and not _standard_key(secret.reveal()):
        return False
    mac = hmac.new(
        _standard_key(secret.reveal()) if is_standard else secret.reveal().encode("utf-8", "surrogatepass"),
        signature.prefix + body,
        hashlib.sha256,
    )
    return hmac.compare_digest(mac.digest(), signature.mac)


def _matching(signatures: Sequence[_Signature], body: bytes, keys: Sequence[Secret]) -> Optional[_Signature]:
    # Computes all of them whatever the first result, so that the time reveals nothing.
    found = None
    for signature in signatures:
        for key in keys:
            if _fits(signature, body, key):
                found = signature
    return found


def _parse_body(body: bytes) -> Any:
    """Rejects a signed text that is not the JSON of a webhook. This is part of the proof: v2 signs "<t>.<body>", and an
    attacker who has seen a v2 webhook could present exactly that text as a body with the v1 form."""
    try:
        event = parse_strictly(body.decode("utf-8"))
    except ValueError:
        event = None
    if isinstance(event, dict) and isinstance(event.get("event"), str):
        return event
    raise WebhookVerificationError("The webhook's body is not the JSON of a webhook.", "malformed_body")


def verify_webhook(
    raw_body: Union[bytes, bytearray, memoryview, str],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = 300,
    versions: Sequence[str] = VERSIONS,
    now: Callable[[], float] = time.time,
) -> Webhook:
    """Verifies that a webhook was signed with the channel's secret, completely and (except v1) recently, and returns it
    with `delivery`, which is not signed. During a rotation both the old and the new secret are valid.

    `raw_body` is the bytes as they arrived: a parsed and serialised body differs. `headers` are the request's, in any
    case, or a WSGI environment. `secret` is the channel's, or several of which one must fit. `versions` are the forms
    of signature to accept. `now` returns the clock's seconds.

    Raises WebhookVerificationError: answer 401 and do nothing. TypeError and ValueError mean a wrong call.
    """
    keys = _keys_of(secret)
    del secret  # tracebacks may show local variables
    body = _body_bytes(raw_body)
    if not keys:
        raise ValueError("secret must be the channel's secret, or a list of secrets")
    if not tolerance_seconds >= 0:
        raise ValueError("tolerance_seconds must be a number from 0 on")
    given = _Headers(headers)

    signatures = _signatures(given)
    if not all(each.version in versions for each in signatures):
        problem = "The form of the webhook's signature is not accepted here."
        raise WebhookVerificationError(problem, "unsupported_version")
    # The signature first, so that callers without the secret learn nothing about the clock.
    signature = _matching(signatures, body, keys)
    if not signature:
        problem = "The webhook's signature fits neither body nor secret. Was the raw body given?"
        raise WebhookVerificationError(problem, "signature_mismatch")
    if signature.timestamp is not None:
        age = math.floor(now()) - signature.timestamp
        if abs(age) > tolerance_seconds:
            problem = f"The webhook was signed {age} s ago, which is not within the tolerance."
            raise WebhookVerificationError(problem, "timestamp_out_of_range")
    delivery = {
        "id": given.get("webhook-id" if signature.version == "standard" else "x-webhook-id"),
        "attempt": given.number("x-webhook-attempt"),
        "sequence": given.number("x-webhook-sequence"),
        "version": signature.version,
        "signedAt": None if signature.timestamp is None else iso_time(signature.timestamp * 1000),
    }
    return cast(Webhook, {**_parse_body(body), "delivery": delivery})
