"""A hint of an engine: records were appended to logs."""

from collections.abc import Callable, Collection
from typing import TypeAlias

Appended: TypeAlias = Callable[[Collection[bytes]], None]
"""Called with the logs, if any, to which writes of this process have appended records that can be
read now.

It is called in the event loop. An engine need not call it, and other processes may have appended
records, too.
"""


def ignore_appended(_logs: Collection[bytes]) -> None:
    """Nobody wants to know."""
