"""Verifies pixledger's webhooks and receipts, and calls its API. See the README."""

from ._checkout_return import CheckoutReturn, verify_return
from ._checkpoint import VerifiedCheckpoint, verify_checkpoint
from ._client import PixledgerClient
from ._errors import (
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    PixledgerError,
    WebhookVerificationCode,
    WebhookVerificationError,
)
from ._receipt import ReceiptRefusal, VerifiedReceipt, verify_receipt
from ._version import __version__
from ._webhook import verify_webhook

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "ApiTimeoutError",
    "CheckoutReturn",
    "PixledgerClient",
    "PixledgerError",
    "ReceiptRefusal",
    "VerifiedCheckpoint",
    "VerifiedReceipt",
    "WebhookVerificationCode",
    "WebhookVerificationError",
    "__version__",
    "verify_checkpoint",
    "verify_receipt",
    "verify_return",
    "verify_webhook",
]
