"""The trace of a world: all that its servers were asked, stored and said to each other, in order.

Equal seeds give equal traces, in any process: so a failure is replayed to the byte.
"""

import hashlib
from collections.abc import Callable, Iterable


class Trace:
    """A digest of all events so far.

    Args:
        lines: each event is added as a line; None to keep the digest only.

    Attributes:
        now: the world's clock.
    """

    def __init__(self, lines: list[str] | None = None) -> None:
        self.now: Callable[[], float] = lambda: 0.0
        self._lines = lines
        self._digest = hashlib.blake2b(digest_size=8)

    def add(self, kind: str, parts: Iterable[bytes | None] = ()) -> None:
        """An event at this moment; None is what is not there."""
        known = b"\0".join(b"-" if part is None else part for part in parts)
        now = self.now()
        self._digest.update(b"%r %b %b\n" % (now, kind.encode(), known))
        if self._lines is not None:
            self._lines.append(f"{now:.6f} {kind} {known!r}")

    def digest(self) -> str:
        """Equal for equal traces."""
        return self._digest.hexdigest()
