"""The SDK's errors, beside TypeError and ValueError for a wrong call."""

from typing import Any, Dict, Literal, Optional, Sequence, cast

from .types import Violation

WebhookVerificationCode = Literal[
    "missing_header",
    "malformed_signature",
    "unsupported_version",
    "timestamp_out_of_range",
    "signature_mismatch",
    "malformed_body",
]


class PixledgerError(Exception):
    """The base of the SDK's errors."""


def _with_fields(message: str, details: Sequence[Violation]) -> str:
    fields = "; ".join(f"{each['field']}: {each['reason']}" for each in details)
    text = f"{message} ({fields})" if fields else message
    return text if len(text) <= 1000 else text[:1000] + "…"


class ApiError(PixledgerError):
    """The API rejected the request. `message` names the fields that were rejected; reasons contain no personal data.
    `str` shows all that helps to find the cause.

    `code` is such as ERR_TRANSACTION_002, or ERR_HTTP_… if an intermediary answered. `details` has every violation of a
    body or query, and for ERR_CURSOR_001 `resumeAfter`, where the feed continues.
    """

    def __init__(
        self,
        message: str,
        status: int = 0,
        code: str = "",
        details: Sequence[Violation] = (),
        request_id: Optional[str] = None,
        retry_after_ms: Optional[int] = None,
    ) -> None:
        self.message = _with_fields(message, details)
        super().__init__(self.message)
        self.status = status
        self.code = code
        self.details = list(details)
        self.request_id = request_id
        self.retry_after_ms = retry_after_ms

    def __str__(self) -> str:
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status} {self.code}: {self.message}{request}"


class ApiConnectionError(PixledgerError):
    """No reply, or an unreadable one. It is unknown whether the request was carried out; a repeat with the same
    idempotency key does nothing twice."""


class ApiTimeoutError(ApiConnectionError):
    """No reply in time."""


class WebhookVerificationError(PixledgerError):
    """The webhook must not be trusted: answer 401 and do nothing."""

    def __init__(self, message: str, code: WebhookVerificationCode = "signature_mismatch") -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        return f"{self.code}: {super().__str__()}"


def _is_violation(each: Any) -> bool:
    return isinstance(each, dict) and all(isinstance(each.get(name), str) for name in ("field", "reason"))


def api_error(status: int, body: Any, request_id: Optional[str], retry_after_ms: Optional[int]) -> ApiError:
    """The error of a reply, whose body may be an intermediary's."""
    fields: Dict[str, Any] = body if isinstance(body, dict) else {}

    def text(name: str, otherwise: Optional[str]) -> Optional[str]:
        return fields[name] if isinstance(fields.get(name), str) else otherwise

    details = fields.get("details")
    violations = [each for each in details if _is_violation(each)] if isinstance(details, list) else []
    return ApiError(
        cast(str, text("message", f"The server answered {status}.")),
        status,
        cast(str, text("code", f"ERR_HTTP_{status}")),
        violations,
        text("requestId", request_id),
        retry_after_ms,
    )
