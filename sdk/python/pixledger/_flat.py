"""Reads FlatBuffers (https://flatbuffers.dev, "Internals") that may be hostile: raises on places outside of the bytes
or misaligned for their size. Supports only what stored events of charges need."""

from typing import List, NoReturn, Optional

from ._json import INTEGER_MAX


class UnreadableBytes(Exception):
    pass


def unreadable(what: str) -> NoReturn:
    raise UnreadableBytes(what)


class FlatTable:
    """The root table of some bytes, or the one that begins at `start`."""

    def __init__(self, content: bytes, start: Optional[int] = None) -> None:
        self._content = content
        self._start = self._unsigned(0, 4) if start is None else start
        self._vtable = self._start - self._signed(self._start, 4)
        self._vtable_bytes = self._unsigned(self._vtable, 2)
        if self._vtable_bytes % 2:
            unreadable("vtable")
        self._need(self._vtable, self._vtable_bytes)

    def has(self, field: int) -> bool:
        return self._place(field, 1) is not None

    def unsigned(self, field: int, length: int) -> int:
        """0 if it is absent."""
        at = self._place(field, length)
        return 0 if at is None else self._unsigned(at, length)

    def int64(self, field: int) -> Optional[int]:
        """Rejects values that not every language's numbers hold exactly."""
        at = self._place(field, 8)
        value = None if at is None else self._signed(at, 8)
        return value if value is None or abs(value) <= INTEGER_MAX else unreadable("int64")

    def vector(self, field: int) -> Optional[bytes]:
        at = self._place(field, 4)
        if at is None:
            return None
        start = at + self._unsigned(at, 4)
        length = self._unsigned(start, 4)
        return self._need(start + 4, length)

    def text(self, field: int) -> Optional[str]:
        at = self._place(field, 4)
        content = self.vector(field)
        if at is None or content is None:
            return None
        if self._need(at + self._unsigned(at, 4) + 4 + len(content), 1) != b"\0":
            unreadable("text")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return unreadable("text")

    def tables(self, field: int) -> "Optional[List[FlatTable]]":
        at = self._place(field, 4)
        if at is None:
            return None
        start = at + self._unsigned(at, 4)
        count = self._unsigned(start, 4)
        self._need(start + 4, 4 * count)
        places = range(start + 4, start + 4 + 4 * count, 4)
        return [FlatTable(self._content, place + self._unsigned(place, 4)) for place in places]

    def _need(self, start: int, length: int, alignment: int = 1) -> bytes:
        if start < 0 or start + length > len(self._content) or start % alignment:
            unreadable("offset")
        return self._content[start : start + length]

    def _unsigned(self, start: int, length: int) -> int:
        return int.from_bytes(self._need(start, length, length), "little")

    def _signed(self, start: int, length: int) -> int:
        return int.from_bytes(self._need(start, length, length), "little", signed=True)

    def _place(self, field: int, length: int) -> Optional[int]:
        entry = 4 + 2 * field
        if entry >= self._vtable_bytes:
            return None
        offset = self._unsigned(self._vtable + entry, 2)
        if offset == 0:
            return None
        self._need(self._start + offset, length, length)
        return self._start + offset
