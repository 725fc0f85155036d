"""Each kind of operation, as a callable that is made of its method and path. Data have the wire's names.

Every call takes `timeout` (seconds, for one attempt), `retries` (attempts after the first) and `request_id` (comes back
in errors and in the ledger's events); those that change something also take `idempotency_key`.
"""

import math
import re
from typing import Any, Callable, Dict, Generic, Iterator, Mapping, Optional, TypeVar, cast
from urllib.parse import quote

from ._errors import ApiConnectionError, ApiError
from ._http import Reply
from ._transport import Options, Transport, object_of
from .types import Event, ListEventsPage, ListEventsQuery

BodyT = TypeVar("BodyT", bound=Mapping[str, object])
QueryT = TypeVar("QueryT", bound=Mapping[str, object])
PageT = TypeVar("PageT", bound=Mapping[str, object])
ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

ITEMS_PER_PAGE = 100
# How long a feed waits for events before it polls again.
FEED_WAIT_SECONDS = 20

OptionalData = Optional[Mapping[str, object]]


def data_of(reply: Reply) -> Any:
    answer = object_of(reply)
    if "data" not in answer:
        raise ApiConnectionError("The answer is not the API's: it has no data.")
    return answer["data"]


def page_of(reply: Reply) -> Any:
    answer = object_of(reply)
    page = {"data": answer.get("data"), "meta": answer.get("meta")}
    if isinstance(page["data"], list) and isinstance(page["meta"], dict):
        return page
    raise ApiConnectionError("The answer is not a page.")


def feed_page_of(reply: Reply) -> Any:
    page = page_of(reply)
    if isinstance(page["meta"].get("next"), str):
        return page
    raise ApiConnectionError("The answer is not a page of the feed.")  # without it, one would begin again


def text_of(reply: Reply) -> str:
    return reply.content.decode("utf-8-sig", "replace")


def bytes_of(reply: Reply) -> bytes:
    return reply.content


class _Call(Generic[ResultT]):
    method = "GET"

    def __init__(
        self,
        transport: Transport,
        path: str,
        decode: Callable[[Reply], ResultT] = data_of,
        method: str = "",
        is_public: bool = False,
    ) -> None:
        self._transport = transport
        self._path = path
        self._decode = decode
        self._method = method or self.method
        self._is_public = is_public

    def __repr__(self) -> str:
        return f"<{self._method} {self._path}>"

    def _path_of(self, id: str) -> str:
        if not isinstance(id, str):
            raise TypeError("id must be a text")
        if not id.strip("."):
            raise ValueError("id must be an id")
        return re.sub(r"\{\w+\}", lambda _: quote(id, safe="!'()*"), self._path)

    def _send(self, path: str, options: Options, query: OptionalData = None, body: OptionalData = None) -> ResultT:
        return self._decode(self._transport.send(self._method, path, query, body, options, self._is_public))


class Read(_Call[ResultT]):
    def __call__(
        self, *, timeout: Optional[float] = None, retries: Optional[int] = None, request_id: Optional[str] = None
    ) -> ResultT:
        return self._send(self._path, Options(None, timeout, retries, request_id))


class ReadOne(_Call[ResultT]):
    def __call__(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> ResultT:
        return self._send(self._path_of(id), Options(None, timeout, retries, request_id))


class Remove(_Call[Optional[ResultT]]):
    """None if a repeat found nothing any more: the reply with the removed item is lost."""

    method = "DELETE"

    def __call__(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> Optional[ResultT]:
        return self._send(self._path_of(id), Options(None, timeout, retries, request_id))


class Find(_Call[ResultT], Generic[QueryT, ResultT]):
    def __call__(
        self,
        query: Optional[QueryT] = None,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> ResultT:
        return self._send(self._path, Options(None, timeout, retries, request_id), query)


class FindOne(_Call[ResultT], Generic[QueryT, ResultT]):
    def __call__(
        self,
        id: str,
        query: Optional[QueryT] = None,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> ResultT:
        return self._send(self._path_of(id), Options(None, timeout, retries, request_id), query)


class Send(_Call[ResultT], Generic[BodyT, ResultT]):
    method = "POST"

    def __call__(
        self,
        body: BodyT,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> ResultT:
        return self._send(self._path, Options(idempotency_key, timeout, retries, request_id), body=body)


class Act(_Call[ResultT]):
    method = "POST"

    def __call__(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> ResultT:
        return self._send(self._path_of(id), Options(idempotency_key, timeout, retries, request_id))


class SendTo(_Call[ResultT], Generic[BodyT, ResultT]):
    method = "POST"

    def __call__(
        self,
        id: str,
        body: Optional[BodyT] = None,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> ResultT:
        options = Options(idempotency_key, timeout, retries, request_id)
        return self._send(self._path_of(id), options, body={} if body is None else body)


def _items(read_page: Callable[[Dict[str, object]], Any], query: OptionalData) -> Iterator[Any]:
    """Every item of every page. New items shift later ones to the next page: none is yielded twice."""
    seen = set()
    number = cast(int, (query or {}).get("page") or 1)
    while True:
        page = read_page({"limit": ITEMS_PER_PAGE, **(query or {}), "page": number})
        for item in page["data"]:
            if item["id"] not in seen:
                seen.add(item["id"])
                yield item
        if not page["data"] or number >= page["meta"].get("totalPages", number):
            return
        number += 1


class List(_Call[PageT], Generic[QueryT, PageT, ItemT]):
    def __init__(self, transport: Transport, path: str) -> None:
        super().__init__(transport, path, page_of)

    def __call__(
        self,
        query: Optional[QueryT] = None,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> PageT:
        return self._send(self._path, Options(None, timeout, retries, request_id), query)

    def all(
        self,
        query: Optional[QueryT] = None,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> Iterator[ItemT]:
        options = Options(None, timeout, retries, request_id)
        return _items(lambda each: self._send(self._path, options, each), query)


class ListOf(_Call[PageT], Generic[QueryT, PageT, ItemT]):
    def __init__(self, transport: Transport, path: str) -> None:
        super().__init__(transport, path, page_of)

    def __call__(
        self,
        id: str,
        query: Optional[QueryT] = None,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> PageT:
        return self._send(self._path_of(id), Options(None, timeout, retries, request_id), query)

    def all(
        self,
        id: str,
        query: Optional[QueryT] = None,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> Iterator[ItemT]:
        path, options = self._path_of(id), Options(None, timeout, retries, request_id)
        return _items(lambda each: self._send(path, options, each), query)


def _resumption_of(error: ApiError) -> Optional[str]:
    """Where the feed continues, if a restore of the ledger cut off the history after the cursor."""
    if error.code != "ERR_CURSOR_001":
        return None
    found = [each.get("resumeAfter") for each in error.details]
    return next((each for each in found if isinstance(each, str)), None)


class Feed(_Call[ListEventsPage]):
    def __init__(self, transport: Transport, path: str) -> None:
        super().__init__(transport, path, feed_page_of)

    def __call__(
        self,
        query: Optional[ListEventsQuery] = None,
        *,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> ListEventsPage:
        """A page, oldest first; `meta["next"]` is the `after` of the next one."""
        return self._poll(query or {}, Options(None, timeout, retries, request_id))

    def _poll(self, query: Mapping[str, object], options: Options) -> ListEventsPage:
        # The server waits as long as requested, without a time-out meanwhile.
        timeout = self._transport.timeout if options.timeout is None else options.timeout
        return self._send(self._path, options._replace(timeout=timeout + cast(float, query.get("wait") or 0)), query)

    def follow(
        self,
        query: Optional[ListEventsQuery] = None,
        *,
        stop_when_idle: bool = False,
        on_cut_off: Optional[Callable[[str], object]] = None,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> Iterator[Event]:
        """Every event from `after` on, without a gap; waits for new ones, or with `stop_when_idle` ends when there is
        none. After the first reply it retries temporary failures without limit, with pauses of up to 8 seconds, unless
        `retries` or `stop_when_idle` is given.

        If a restore has cut off the history after its place, it continues where that ends, and calls `on_cut_off` with
        that place: events that you handled may have never happened.
        """
        after = (query or {}).get("after")
        options = Options(None, timeout, retries, request_id)
        while True:
            # Fixes the place of "now" at once: otherwise the events of a lost reply would be missed while waiting.
            wait = None if after == "now" else (query or {}).get("wait", None if stop_when_idle else FEED_WAIT_SECONDS)
            try:
                page = self._poll({**(query or {}), "wait": wait, "after": after}, options)
            except ApiError as error:
                resume_after = _resumption_of(error)
                if resume_after is None or resume_after == after:
                    raise
                after = resume_after
                if on_cut_off:
                    on_cut_off(resume_after)
                continue
            yield from page["data"]
            # An empty page may lead further: the server looks through so many events for those of `types`.
            if stop_when_idle and not page["data"] and page["meta"]["next"] == after:
                return
            after = page["meta"]["next"]
            if options.retries is None and not stop_when_idle:
                options = options._replace(retries=math.inf)
