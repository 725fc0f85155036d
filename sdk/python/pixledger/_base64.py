import base64
import binascii
from typing import Optional


def bytes_from_base64(text: object) -> Optional[bytes]:
    """The bytes of canonical base64 (RFC 4648 section 4, padded); None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        found = base64.b64decode(text)
    except (binascii.Error, ValueError):
        return None
    # Python ignores invalid characters; only the canonical form of the bytes is accepted.
    return found if base64.b64encode(found).decode() == text else None
