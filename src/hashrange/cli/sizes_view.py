"""The text of `hashrange sizes`: figures, histograms and the largest keys."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.observe.snapshot import KeyCount
from hashrange.tools.scanning.sizes import Collection, Distribution, Sizes

_BAR_CHARS: Final = 30
_KEY_CHARS_MAX: Final = 60
_POWERS: Final = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"), (1, "B"))


def lines(sizes: Sizes, hottest: Sequence[KeyCount] | None) -> Iterator[str]:
    """The lines of the report."""
    items = sizes.items
    yield f"{items.count:,} items, {items.total:,} bytes, {sizes.partition_key_items.count:,} keys"
    yield ""
    yield from _histogram("Bytes of items", items, shown=size_text)
    yield from _histogram("Items of partition keys", sizes.partition_key_items, shown=_count)
    yield from _histogram("Bytes of partition keys", sizes.partition_key_bytes, shown=size_text)
    yield "Largest items:"
    for item in sizes.largest_items:
        yield f"  {item.bytes:>12,} B  {_key(item.key)}"
    yield from _collections("Partition keys with the most bytes:", sizes.largest_partition_keys)
    yield from _collections("Partition keys with the most items:", sizes.fullest_partition_keys)
    if hottest:
        yield "Partition keys with the most requests (sampled):"
        for each in hottest:
            yield f"  {each.count:>12,}    {_shortened(each.key)}"


def _histogram(title: str, distribution: Distribution, *, shown: Any) -> Iterator[str]:
    each = distribution
    figures = (("mean", each.mean), ("p50", each.p50), ("p90", each.p90), ("p99", each.p99))
    texts = [f"{name} {shown(round(value))}" for name, value in figures]
    yield f"{title}: {', '.join(texts)}, max {shown(each.most)}"
    highest = max((found.count for found in each.bins), default=1)
    for found in each.bins:
        bar = "#" * max(1, round(found.count / highest * _BAR_CHARS))
        span = f"{shown(found.least)} to {shown(found.most)}"
        yield f"  {span:>18} {found.count:>12,}  {bar}"
    yield ""


def _collections(title: str, found: Sequence[Collection]) -> Iterator[str]:
    yield title
    for each in found:
        yield f"  {each.bytes:>12,} B  {each.items:>10,} items  {_key(each.key)}"


def size_text(size: int) -> str:
    """A number of bytes in the largest unit of which there is one, as in 1.5 KB."""
    least, unit = next((pair for pair in _POWERS if size >= pair[0]), (1, "B"))
    return f"{size:,} B" if least == 1 else f"{size / least:,.1f} {unit}"


def _count(count: int) -> str:
    return f"{count:,}"


def _key(key: Any) -> str:
    return _shortened(msgspec.json.encode(key).decode())


def _shortened(text: str) -> str:
    """One line without signs that could move the cursor."""
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return shown if len(shown) <= _KEY_CHARS_MAX else f"{shown[:_KEY_CHARS_MAX]}…"
