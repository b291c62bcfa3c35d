"""The item cache never shows an older value than its last write; the query cache may."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.dax.cache.caches import Caches, Lifetimes
from hashrange.dax.cache.entries import Kind

A, B = b"a", b"b"


def caches(**lifetimes):
    return Caches(1_000_000, Lifetimes(**lifetimes))


def fill(some, each, value, now_ms=0):
    some.end_fill(some.begin_fill(each), value, 10, now_ms)


def put(some, each, value, now_ms=0):
    with some.writing([each]) as writing:
        writing.put(each, value, 10, now_ms)


def shown(some, each=A, now_ms=0):
    found = some.item(each, now_ms)
    return "unknown" if found is None else found.value


def test_a_delete_leaves_a_negative_entry():
    some = caches()
    put(some, A, "old")
    with some.writing([A]) as writing:
        writing.delete(A, 0)
    assert shown(some) is None


def test_a_write_whose_image_or_outcome_is_unknown_leaves_no_entry():
    some = caches()
    put(some, A, "old")
    with some.writing([A]):
        pass
    assert shown(some) == "unknown"


def test_a_refused_write_changes_nothing():
    some = caches()
    put(some, A, "old")
    with some.writing([A]) as writing:
        writing.refused()
    assert shown(some) == "old"


def test_a_batch_tells_each_of_its_items():
    some = caches()
    put(some, B, "old")
    with some.writing([A, B]) as writing:
        writing.put(A, "new", 10, 0)
    assert (shown(some, A), shown(some, B)) == ("new", "unknown")


def test_a_read_that_began_before_a_write_ended_is_not_kept():
    some = caches()
    reading = some.begin_fill(A)
    put(some, A, "new")
    some.end_fill(reading, "old", 10, 0)
    assert shown(some) == "new"


def test_a_read_that_began_before_an_eviction_of_the_newer_write_is_not_kept():
    some = caches()
    reading = some.begin_fill(A)
    put(some, A, "new")
    some.entries.drop(Kind.ITEM, A)
    some.end_fill(reading, "old", 10, 0)
    assert shown(some) == "unknown"


def test_two_writes_at_once_leave_no_entry():
    some = caches()
    with some.writing([A]) as first:
        put(some, A, "second")
        assert shown(some) == "unknown"
        fill(some, A, "first or second")
        first.put(A, "first", 10, 0)
    assert shown(some) == "unknown"
    put(some, A, "third")
    assert shown(some) == "third"


def test_clearing_ends_reads_that_are_under_way():
    some = caches()
    reading = some.begin_fill(A)
    put(some, B, "old")
    some.clear()
    some.end_fill(reading, "old", 10, 0)
    assert (shown(some, A), shown(some, B)) == ("unknown", "unknown")


def test_hits_and_misses_are_counted_by_cache():
    some = caches()
    shown(some)
    fill(some, A, None)
    shown(some)
    some.query(A, 0)
    some.query(A, 0, is_scan=True)
    some.keep_query(A, "page", 10, 0)
    some.query(A, 0, is_scan=True)
    counts = [(each.hits, each.misses) for each in (some.items, some.queries, some.scans)]
    assert counts == [(1, 1), (0, 1), (1, 1)]


class History:
    """Reads and writes of an item in any order of their beginnings and ends.

    The table changes at a moment between the beginning of a write and its end; a read sees a
    moment between its own.
    """

    def __init__(self):
        self.caches = Caches(2000, Lifetimes(record_ttl_ms=50))
        self.stored = None
        self.began, self.saw, self.writes = [], [], []
        self.now_ms = self.version = 0

    def read_begins(self):
        if self.caches.item(A, self.now_ms) is None:
            self.began.append(self.caches.begin_fill(A))

    def read_sees(self):
        if self.began:
            self.saw.append((self.began.pop(0), self.stored))

    def read_ends(self):
        if self.saw:
            reading, value = self.saw.pop(0)
            self.caches.end_fill(reading, value, 10, self.now_ms)

    def read_fails(self):
        if self.saw:
            self.caches.abandon_fill(self.saw.pop(0)[0])

    def refused_write(self):
        self.begin_write().refused()

    def put(self):
        self.begin_write().put(A, self.change(), 10, self.now_ms)

    def update(self):
        self.begin_write()
        self.change()

    def delete(self):
        self.begin_write().delete(A, self.now_ms)
        self.stored = None

    def first_write_ends(self):
        if self.writes:
            self.writes.pop(0).__exit__(None, None, None)

    def last_write_ends(self):
        if self.writes:
            self.writes.pop().__exit__(None, None, None)

    def time_passes(self):
        self.now_ms += 20

    def others_need_room(self):
        self.caches.keep_query(B, "page", 1500, self.now_ms)

    def begin_write(self):
        self.writes.append(self.caches.writing([A]))
        return self.writes[-1].__enter__()

    def change(self):
        self.version += 1
        self.stored = self.version
        return self.version


STEPS = [
    *[History.read_begins, History.read_sees, History.read_ends, History.read_fails],
    *[History.put, History.update, History.delete, History.refused_write],
    *[History.first_write_ends, History.first_write_ends, History.last_write_ends],
    *[History.last_write_ends, History.time_passes, History.others_need_room],
]


@given(steps=st.lists(st.sampled_from(STEPS), min_size=100, max_size=100))
def test_what_is_cached_is_what_is_stored_unless_it_is_being_written(steps):
    history = History()
    for step in steps:
        step(history)
        found = history.caches.entries.get(Kind.ITEM, A, history.now_ms)
        assert history.writes or found is None or found.value == history.stored
