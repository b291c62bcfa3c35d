"""The log on stderr: text lines for people, JSON lines for log collectors, and limits of both.

The log never contains items or signatures. So the text of an exception is only written for types
whose texts are about the program or the machine; the text of others, of KeyError for example,
quotes their argument.
"""

import logging
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, TextIO, assert_never

import msgspec

from hashrange.settings.kinds import LogFormat

FIELDS: Final = frozenset(
    {
        "request_id",
        "account",
        "region",
        "access_key_id",
        "operation",
        "tables",
        "status",
        "fault",
        "read_units",
        "write_units",
        "bytes_received",
        "bytes_sent",
        "duration_ms",
        "user_agent",
    }
)
"""Names that a log record may carry in `extra`; others are not written."""

_TEXT_IS_SAFE: Final = (
    AssertionError,
    AttributeError,
    ImportError,
    MemoryError,
    NameError,
    OSError,
    RuntimeError,
    TypeError,
)


def is_json(form: LogFormat) -> bool:
    """Whether log lines are JSON; if it is left open, they are unless stderr is a terminal."""
    match form:
        case LogFormat.TEXT:
            return False
        case LogFormat.JSON:
            return True
        case LogFormat.AUTO:
            return not sys.stderr.isatty()
        case _:
            assert_never(form)


def configure(*, level: str, as_json: bool, stream: TextIO | None = None) -> None:
    """Send all logs of the process to one stream, and remove all other handlers.

    Args:
        level: the least important level, as `logging` names it, in any case.
        as_json: one JSON object a line instead of text.
        stream: stderr if None.
    """
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


class TextFormatter(logging.Formatter):
    """`2026-11-21T10:00:00.000Z WARNING hashrange.storage: message name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line, and further lines for its exception."""
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        line = f"{_time(record)} {record.levelname} {record.name}: {record.getMessage()}{fields}"
        return "\n".join([line, *_failure(record)])


class JsonFormatter(logging.Formatter):
    """One object a line: ts, level, logger, message, failure, and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line; the key `failure` only if there is an exception."""
        line: dict[str, object] = {
            "ts": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if failure := _failure(record):
            line["failure"] = "\n".join(failure)
        return msgspec.json.encode(line, enc_hook=str).decode()


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"


def _fields(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name in FIELDS}


def _failure(record: logging.LogRecord) -> list[str]:
    """The exception with its causes, innermost first, each with its frames."""
    lines: list[str] = []
    error = record.exc_info[1] if record.exc_info else None
    visited: set[int] = set()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        frames = traceback.extract_tb(error.__traceback__)
        described = [
            type(error).__qualname__ + (f": {error}" if isinstance(error, _TEXT_IS_SAFE) else ""),
            *(f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames),
        ]
        lines = described + lines
        error = error.__cause__ or error.__context__
    return lines


WINDOW_NS: Final = 1_000_000_000


class LogLimiter:
    """Counts occurrences of an event, and says when to log them.

    Args:
        monotonic_ns: the clock.
        lines: log lines allowed in a second.
    """

    def __init__(self, monotonic_ns: Callable[[], int], lines: int = 1) -> None:
        self._monotonic_ns = monotonic_ns
        self._lines = lines
        self._left = 0
        self._unlogged = 0
        self._next_ns: int | None = None

    def happened(self) -> int:
        """Count an occurrence.

        Returns:
            0 if it is not to be logged now; otherwise the occurrences since the last log line.
        """
        self._unlogged += 1
        now_ns = self._monotonic_ns()
        if self._next_ns is None or now_ns >= self._next_ns:
            self._next_ns = now_ns + WINDOW_NS
            self._left = self._lines
        if not self._left:
            return 0
        self._left -= 1
        count, self._unlogged = self._unlogged, 0
        return count
