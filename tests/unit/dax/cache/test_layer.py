"""The caches in front of a source: what requests leave in them, and which reads are shared."""

import asyncio

import msgspec
import pytest

from hashrange.dax.cache.caches import Caches, Lifetimes
from hashrange.dax.cache.layer import CacheLayer
from tests.pace import turns

A, B = b"a", b"b"


class Page(msgspec.Struct):
    """The answer to a Query."""

    number: int
    consumed_capacity: float | None = None


class Source:
    """A source that says of a KeyError that nothing was changed."""

    def __init__(self, *, joins_pages=False):
        self.joins_pages = joins_pages
        self.noted, self.pages = [], 0

    def is_unchanged(self, error):
        return isinstance(error, KeyError)

    def note_writes(self, keys):
        self.noted += keys

    async def page(self):
        self.pages += 1
        number = self.pages
        await turns()
        return Page(number, 1.0)


def layer_of(source, **lifetimes):
    caches = Caches(10_000, Lifetimes(**lifetimes))
    return caches, CacheLayer(caches, source, lambda: 0)


def kept(caches, *values):
    """Caches in which items are known."""
    for key, value in zip((A, B), values, strict=False):
        caches.end_fill(caches.begin_fill(key), value, 1, 0)


def known(layer, key):
    found = layer.item(key)
    return "unknown" if found is None else found.value


def test_a_write_says_what_it_left():
    source = Source()
    caches, layer = layer_of(source)
    kept(caches, b"old", b"old")
    with layer.writing([A, B]) as left:
        left(A, b"new")
    assert (known(layer, A), known(layer, B)) == (b"new", "unknown")
    with layer.writing([A]) as left:
        left(A, None)
    assert known(layer, A) is None
    assert source.noted == [A, B, A]


@pytest.mark.parametrize(
    ("error", "expected", "noted"), [(KeyError, b"old", []), (OSError, "unknown", [A])]
)
def test_a_write_that_fails_leaves_what_the_source_says(error, expected, noted):
    source = Source()
    caches, layer = layer_of(source)
    kept(caches, b"old")
    with pytest.raises(error), layer.writing([A]):
        raise error
    assert (known(layer, A), source.noted) == (expected, noted)


def test_a_read_that_fails_keeps_nothing():
    _, layer = layer_of(Source())

    async def read():
        raise ConnectionError

    with pytest.raises(ConnectionError):
        asyncio.run(layer.filled([A], read))
    assert known(layer, A) == "unknown"


@pytest.mark.parametrize("joins_pages", [False, True])
def test_a_page_is_kept_and_costs_nothing_again(joins_pages):
    source = Source(joins_pages=joins_pages)
    _, layer = layer_of(source)
    pages = [asyncio.run(layer.page(A, source.page, is_scan=True)) for _ in range(2)]
    assert pages == [Page(1, 1.0), Page(1)]
    assert (layer.knows_page(A), layer.knows_page(B)) == (True, False)


@pytest.mark.parametrize(
    ("joins_pages", "query_ttl_ms", "reads"), [(True, 1000, 1), (True, 0, 3), (False, 1000, 3)]
)
def test_callers_of_one_missing_page_share_a_read_if_the_source_says_so(
    joins_pages, query_ttl_ms, reads
):
    source = Source(joins_pages=joins_pages)
    _, layer = layer_of(source, query_ttl_ms=query_ttl_ms)

    async def scenario():
        callers = [layer.page(A, source.page, is_scan=False) for _ in range(3)]
        return await asyncio.gather(*callers)

    pages = asyncio.run(scenario())
    assert source.pages == reads
    assert sum(page.consumed_capacity is not None for page in pages) == reads
