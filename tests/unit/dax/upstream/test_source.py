"""How long a write is recent."""

from hashrange.dax.upstream.sender import RecentWrites
from hashrange.limits.dax import UPSTREAM_RECENT_MS


def test_writes_are_recent_for_some_seconds():
    now_ms = 5
    recent = RecentWrites(lambda: now_ms)
    recent.add([b"a", b"b"])
    now_ms += UPSTREAM_RECENT_MS - 1
    recent.add([b"b"])
    assert (recent.has(b"a"), recent.has(b"b"), recent.has(b"c")) == (True, True, False)
    now_ms += 1
    assert (recent.has(b"a"), recent.has(b"b")) == (False, True)
