"""Sends requests with the API key: repeats, errors, what is never sent."""

import http.client
import json
import math
import random
import re
import socket
import ssl
import time
import uuid
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union
from urllib.parse import urlencode

from ._errors import ApiConnectionError, ApiError, ApiTimeoutError, PixledgerError, api_error
from ._http import Base, Deadline, Reply, exchange
from ._secret import Secret
from ._version import __version__

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 8.0
# A server that requests a longer pause is not waited for: the call fails, or retries after this one.
LONGEST_RETRY_AFTER_SECONDS = 60.0
# 502 and 504 come from an intermediary that got no reply itself.
TEMPORARY_STATUSES = (429, 502, 503, 504)
TIMEOUT_REASON = "timeout must be a number of seconds above 0"
RETRIES_REASON = "retries must be an integer from 0 on"

Headers = List[Tuple[str, str]]


class Options(NamedTuple):
    """Those of a call. None: the client's own."""

    idempotency_key: Optional[str] = None
    timeout: Optional[float] = None
    retries: Optional[float] = None
    request_id: Optional[str] = None


def is_timeout(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


def is_retries(value: Any) -> bool:
    return value == math.inf or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def time_text(value: datetime) -> str:
    if value.utcoffset() is None:
        raise ValueError("a datetime must have a time zone")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return time_text(value)
    return ",".join(map(_text, value)) if isinstance(value, (list, tuple)) else str(value)


def search_of(query: Optional[Mapping[str, Any]]) -> str:
    """A list is joined with commas, a dict is `name[key]` for each of its keys."""

    def pairs() -> Iterator[Tuple[str, str]]:
        for name, value in (query or {}).items():
            fields = {f"{name}[{key}]": each for key, each in value.items()} if isinstance(value, dict) else None
            for key, each in ({name: value} if fields is None else fields).items():
                if each is not None:
                    yield key, _text(each)

    search = urlencode(list(pairs()))
    return search and f"?{search}"


def _default(value: Any) -> str:
    if isinstance(value, datetime):
        return time_text(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _body_bytes(body: Optional[Mapping[str, Any]]) -> Optional[bytes]:
    if body is not None and "amountCents" in body and body["amountCents"] is None:
        raise ValueError("amountCents must be a number, or left out: without it a refund is of all")
    return None if body is None else json.dumps(body, default=_default, allow_nan=False).encode()


def parse_json(reply: Reply) -> Any:
    """Raises ValueError for anything but JSON."""
    try:
        return json.loads(reply.content.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _retry_after_ms(value: Optional[str]) -> Optional[int]:
    """Seconds or an HTTP date (RFC 9110 §10.2.3)."""
    if value is None:
        return None
    if re.fullmatch("[0-9]+", value):
        return int(min(float(value), 1e12)) * 1000
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    seconds = date.replace(tzinfo=date.tzinfo or timezone.utc).timestamp() - time.time()
    return max(0, round(seconds * 1000))


def _error_of(reply: Reply) -> ApiError:
    try:
        body = parse_json(reply)
    except ValueError:  # a reply of an intermediary, such as a proxy
        body = None
    retry_after_ms = _retry_after_ms(reply.headers.get("Retry-After"))
    return api_error(reply.status, body, reply.headers.get("X-Request-Id"), retry_after_ms)


class _FinalConnectionError(ApiConnectionError):
    """One that a repeat does not mend. Callers get an ApiConnectionError."""


def _failure_of(error: BaseException, timeout: float) -> Optional[PixledgerError]:
    if isinstance(error, socket.timeout):
        return ApiTimeoutError(f"No answer within {timeout:g} s.")
    if isinstance(error, ssl.SSLError) and not isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
        return _FinalConnectionError(f"No secure connection: {error}.")
    if isinstance(error, (OSError, http.client.HTTPException)):
        return ApiConnectionError(f"No answer: {type(error).__name__}: {error}.")
    return None


def _is_temporary(error: PixledgerError) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, ApiError):
        return error.status in TEMPORARY_STATUSES or (error.status, error.code) == (409, "ERR_IDEMPOTENCY_002")
    return not isinstance(error, _FinalConnectionError)


def _is_uncertain(error: PixledgerError) -> bool:
    """Whether the request may have been carried out in spite of the error."""
    return not isinstance(error, ApiError) or error.status in (502, 503, 504)


def _pause_before(attempt: int, error: PixledgerError) -> float:
    # The whole pause is random, so that many callers do not come back at once.
    most = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * float(2 ** min(attempt, 5)))
    asked = error.retry_after_ms if isinstance(error, ApiError) else None
    return max((asked or 0) / 1000, random.random() * most)


def _checked(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str) or not re.fullmatch("[ -~]{1,%d}" % longest, value):
        raise ValueError(f"{name} must be 1 to {longest} printable ASCII characters")
    return value


class Transport:
    def __init__(self, key: Secret, base: Base, timeout: float, retries: int, tls: Optional[ssl.SSLContext]) -> None:
        self.timeout = timeout
        self._retries = retries
        self._key = key
        self._base = base
        self._tls = tls

    def send(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        options: Options = Options(),
        is_public: bool = False,
    ) -> Reply:
        """The reply of a success. `retries` may be math.inf."""
        timeout = self.timeout if options.timeout is None else options.timeout
        retries = self._retries if options.retries is None else options.retries
        if not is_timeout(timeout):
            raise ValueError(TIMEOUT_REASON)
        if not is_retries(retries):
            raise ValueError(RETRIES_REASON)
        content = _body_bytes(body)
        headers = self._headers(method, content, options)
        target = path + search_of(query)
        may_be_done = False
        attempt = 0
        while True:
            outcome = self._attempt(method, target, headers, content, timeout, is_public)
            if isinstance(outcome, Reply):
                return outcome
            # A repeated DELETE finds nothing any more: the item is gone as requested; its reply is lost.
            if method == "DELETE" and may_be_done and isinstance(outcome, ApiError) and outcome.status == 404:
                return Reply(200, http.client.HTTPMessage(), b'{"data":null}')
            pause = _pause_before(attempt, outcome)
            is_over = attempt >= retries or (pause > LONGEST_RETRY_AFTER_SECONDS and retries != math.inf)
            if is_over or not _is_temporary(outcome):
                raise ApiConnectionError(*outcome.args) if isinstance(outcome, _FinalConnectionError) else outcome
            may_be_done = may_be_done or _is_uncertain(outcome)
            time.sleep(min(pause, LONGEST_RETRY_AFTER_SECONDS))
            attempt += 1

    @staticmethod
    def _headers(method: str, body: Optional[bytes], options: Options) -> Headers:
        headers = [("Accept", "application/json"), ("User-Agent", f"pixledger-sdk-python/{__version__}")]
        if options.request_id is not None:
            headers.append(("X-Request-Id", _checked("request_id", options.request_id, 255)))
        # One key for all attempts, so that they count as one.
        if method in ("POST", "PATCH"):
            given = options.idempotency_key
            key = str(uuid.uuid4()) if given is None else _checked("idempotency_key", given, 255)
            headers.append(("Idempotency-Key", key))
            headers.append(("Content-Length", str(len(body or b""))))
        if body is not None:
            headers.append(("Content-Type", "application/json"))
        return headers

    def _attempt(
        self, method: str, target: str, headers: Headers, body: Optional[bytes], timeout: float, is_public: bool
    ) -> Union[Reply, PixledgerError]:
        # The frames of http.client show the key to a traceback with local variables: none of them is kept.
        try:
            reply = exchange(
                self._base,
                method,
                target,
                headers if is_public else [*headers, ("Authorization", f"Bearer {self._key.reveal()}")],
                body,
                self._tls,
                Deadline(timeout),
            )
        except BaseException as error:
            failure = _failure_of(error, timeout)
            if failure is None:
                raise error.with_traceback(None)
            return failure
        if reply.status >= 300:
            return _error_of(reply)
        return reply


def object_of(reply: Reply) -> Dict[str, Any]:
    """The JSON object of a success."""
    try:
        value = parse_json(reply)
    except ValueError as error:
        problem = f"The answer is not JSON: {error}."
    else:
        if isinstance(value, dict):
            return value
        problem = "The answer is not a JSON object."
    raise ApiConnectionError(problem)
