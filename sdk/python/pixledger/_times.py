from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)


def iso_time(milliseconds: int) -> str:
    """ISO 8601 in UTC with milliseconds. Raises OverflowError after the year 9999."""
    return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds") + "Z"
