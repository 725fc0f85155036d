"""Verifies where payers come back to."""

import base64
import math
import re
import time
from typing import Any, Callable, Optional, TypedDict, cast

from ._base64 import bytes_from_base64
from ._ed25519 import verify
from ._times import iso_time
from .types import TransactionStatus

_SIGNED = re.compile(
    r"(?:\A|[?&])(session=([^&#=]+)&transaction=([^&#=]+)&status=([a-z_]+)&t=([0-9]{1,15}))&sig=([A-Za-z0-9_-]{86})\Z"
)
_ANY: Any = object()


class CheckoutReturn(TypedDict):
    session: str
    transaction: str
    # As it was then: deliver on the webhook, or check the status.
    status: TransactionStatus
    signedAt: str


def verify_return(
    url: str,
    public_key: str,
    *,
    session: str = _ANY,
    tolerance_seconds: float = 3600,
    now: Callable[[], float] = time.time,
) -> Optional[CheckoutReturn]:
    """What a checkout session's page states in the address that it sends the payer back to (`successUrl`), if the
    store's key has signed it recently; else None: then query the API.

    `url` is the whole address, or its path and query, as received. `public_key` is `returnPublicKey` of the store.
    `session` is the one that was created for this order: another one's is rejected. Give it, or compare the result's:
    the address of a cheaper paid session has a valid signature too.
    """
    key = bytes_from_base64(public_key)
    if not isinstance(url, str):
        raise TypeError("url must be a text")
    if key is None or len(key) != 32:
        raise ValueError("public_key must be returnPublicKey of the store")
    # An order without a session must not accept another session's address.
    if session is not _ANY and not isinstance(session, str):
        raise TypeError("session must be the id of a session")
    if not 0 <= tolerance_seconds < math.inf:
        raise ValueError("tolerance_seconds must be a number from 0 on")
    found = _SIGNED.search(url)
    if not found:
        return None
    text, of_session, transaction, status, seconds, given = found.groups()
    signature = base64.urlsafe_b64decode(given + "==")
    # One text for one signature: other encodings of the same bytes are rejected.
    is_canonical = base64.urlsafe_b64encode(signature).decode() == given + "=="
    if not is_canonical or not verify(key, text.encode("utf-8", "surrogatepass"), signature):
        return None
    if session is not _ANY and of_session != session:
        return None
    if abs(now() - int(seconds)) > tolerance_seconds:
        return None
    return {
        "session": of_session,
        "transaction": transaction,
        "status": cast(TransactionStatus, status),
        "signedAt": iso_time(int(seconds) * 1000),
    }
