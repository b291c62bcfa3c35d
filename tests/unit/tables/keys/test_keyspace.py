"""The layout of keys. The vectors pin bytes that are on disks: they are never changed."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from hashrange.model.canonical import canonical_value
from hashrange.model.wording import Wording
from hashrange.tables.keys import key_ranges, keyspace, system_keys
from hashrange.tables.keys.ordering import ordered
from tests.rows import rows
from tests.unit.model.strategies import texts
from tests.unit.tables.key_values import key_values, within

A = {"S": "a"}
HASH_OF_A = "62b8ed61fa603934d9f05a07976d5984"
"""BLAKE2b-16 of 02 00000001 61."""


@pytest.mark.parametrize(
    ("values", "hashed"),
    [
        ([{"S": ""}], "148ea4e4c47f737f97b4a6d3b61726f9"),
        ([{"S": "a"}], "62b8ed61fa603934d9f05a07976d5984"),
        ([{"N": "1"}], "7526f945103c5cba6306a672b7a13a64"),
        ([{"N": "-12.5"}], "170983f10198c66babfd4909556fe316"),
        ([{"B": "YQ=="}], "9ce7a25eb4182396ffc32057667259a9"),
        ([{"S": "a"}, {"N": "1"}], "3087e4648a6f2c1dd01cc9eab1fec587"),
        ([{"S": "x" * 2048}], "ce73570458748dbf3edeaf3373dcbb9a"),
    ],
)
def test_hash_vectors(values, hashed):
    assert keyspace.hash16(values).hex() == hashed


@rows(
    ("key", "encoding"),
    [
        (system_keys.catalog_key("Music"), "00000000 01 4d75736963"),
        (system_keys.sequence_key(), "00000000 02"),
        (system_keys.dropped_key(7), "00000000 03 00000007"),
        (system_keys.token_key(7, ":é"), "00000000 04 00000007 3ac3a9"),
        (keyspace.item_key(7, A, None), f"00000007 01 {HASH_OF_A}"),
        (keyspace.partition_prefix(7, A), f"00000007 01 {HASH_OF_A}"),
        (
            keyspace.item_key(2**32 - 2, A, {"S": "b"}),
            f"fffffffe 01 {HASH_OF_A} 02 6200000000000000 01",
        ),
        (keyspace.item_key(7, A, {"N": "-1"}), f"00000007 01 {HASH_OF_A} 01 01 7d df"),
        (keyspace.item_key(7, A, {"B": "/w=="}), f"00000007 01 {HASH_OF_A} 03 ff00000000000000 01"),
        (keyspace.index_partition_prefix(7, 3, [A], []), f"00000007 02 00000003 {HASH_OF_A}"),
        (
            keyspace.index_partition_prefix(7, 3, [A], [{"N": "0"}, {"N": "1"}]),
            f"00000007 02 00000003 {HASH_OF_A} 0102 01038220",
        ),
        (keyspace.index_entry_key(b"prefix", [A]), b"prefix".hex() + HASH_OF_A),
        (keyspace.item_count_key(7), "00000007 03 00000000 01"),
        (keyspace.bytes_key(7), "00000007 03 00000000 02"),
        (keyspace.item_count_key(7, 3), "00000007 03 00000003 01"),
        (keyspace.bytes_key(7, 3), "00000007 03 00000003 02"),
        (keyspace.saved_bytes_key(7, 3), "00000007 03 00000003 03"),
        (keyspace.log_key(7, 5), "00000007 04 00000005"),
        (system_keys.trigger_key(7, 5, "mail"), "00000000 05 00000007 00000005 6d61696c"),
        (system_keys.secret_key(), "00000000 09"),
        (
            system_keys.trigger_begun_key("mail", "Music"),
            "00000000 05 00000000 6d61696c3a4d75736963",
        ),
    ],
)
def test_key_vectors(key, encoding):
    assert key == bytes.fromhex(encoding)


@rows(
    ("bounds", "start", "end"),
    [
        (system_keys.catalog_range(), "00000000 01", "00000000 02"),
        (system_keys.dropped_range(), "00000000 03", "00000000 04"),
        (system_keys.triggers_range(), "00000000 05", "00000000 06"),
        (system_keys.triggers_range(positions=True), "00000000 05 00000001", "00000000 06"),
        (keyspace.table_range(7), "00000007", "00000008"),
        (keyspace.table_range(255), "000000ff", "000001"),
        (keyspace.items_range(7), "00000007 01", "00000007 02"),
        (keyspace.index_range(7, 3), "00000007 02 00000003", "00000007 02 00000004"),
    ],
)
def test_range_vectors(bounds, start, end):
    assert bounds == (bytes.fromhex(start), bytes.fromhex(end))


@given(texts)
def test_a_catalog_key_tells_its_name(name):
    assert system_keys.name_of_catalog_key(system_keys.catalog_key(name)) == name
    assert within(system_keys.catalog_key(name), system_keys.catalog_range())


def test_a_position_tells_its_place():
    assert system_keys.trigger_place(system_keys.trigger_key(7, 2**32 - 1, "x")) == (7, 2**32 - 1)


@given(st.lists(key_values, max_size=3), st.lists(key_values, max_size=3))
@example([{"S": "1"}], [{"N": "1"}])
@example([{"S": "ab"}], [{"S": "a"}, {"S": "b"}])
@example([{"S": "a"}], [{"B": "YQ=="}])
@example([{"S": ""}], [])
@example([{"S": "a\x02\0\0\0\0b"}], [{"S": "a"}, {"S": "b"}])
@example([{"S": "a\x02\0\0\0\x01b"}], [{"S": "a"}, {"S": "b"}])
def test_what_is_hashed_tells_every_sequence_of_values_apart(left, right):
    assert (keyspace.hash16(left) == keyspace.hash16(right)) == (left == right)


def test_equal_numbers_meet_in_one_partition_by_their_canonical_text():
    spelt = [canonical_value({"N": text}, Wording.CURRENT) for text in ("1", "1.0", "10e-1")]
    assert len({keyspace.item_key(1, value, value) for value in spelt}) == 1


@given(st.binary(min_size=1, max_size=4), st.binary(max_size=4))
@example(b"a\xff\xff", b"\xff\xff\xff\xff")
def test_key_after_is_the_least_key_beyond_a_prefix(key, more):
    assume(key.strip(b"\xff"))
    after = key_ranges.key_after(key)
    assert key + more < after
    # Nothing smaller would do: whatever is smaller is also smaller than a key with the prefix.
    below = after[:-1] + bytes([after[-1] - 1]) + b"\xff" * 8
    assert below < after
    assert below <= key + b"\xff" * 16


@given(st.integers(1, 1_000_000), st.data())
@example(1, None)
@example(1_000_000, None)
def test_segments_partition_the_items(total, drawn):
    if drawn is None:
        segments = {0, 1, total // 2, total - 2, total - 1}
    else:
        segments = drawn.draw(st.sets(st.integers(0, total - 1), min_size=1, max_size=3))
    start, end = keyspace.items_range(7)
    for segment in segments:
        if not 0 <= segment < total:
            continue
        bounds = keyspace.segment_range(7, segment, total)
        assert bounds[0] < bounds[1]
        if segment + 1 < total:
            assert bounds[1] == keyspace.segment_range(7, segment + 1, total)[0]
        else:
            assert bounds[1] == end
        if segment == 0:
            assert bounds[0] == start + bytes(16)


@given(key_values, key_values, st.integers(1, 50))
def test_an_item_is_in_one_segment(partition, sort, total):
    key = keyspace.item_key(7, partition, sort)
    found = [n for n in range(total) if within(key, keyspace.segment_range(7, n, total))]
    assert len(found) == 1
    partition_key = keyspace.item_key(7, partition, None)
    assert within(partition_key, keyspace.segment_range(7, found[0], total))


def test_segments_are_equal_shares():
    sizes = set()
    for segment in range(7):
        start, end = keyspace.segment_range(7, segment, 7)
        numbers_of = [int.from_bytes(bound[5:].ljust(16, b"\0")) for bound in (start, end)]
        sizes.add((numbers_of[1] - numbers_of[0]) % 2**128)
    assert max(sizes) - min(sizes) <= 1


def test_segments_of_an_index_are_ranges_of_its_entries():
    prefix = keyspace.index_partition_prefix(7, 3, [A], [{"S": "s"}])
    key = keyspace.index_entry_key(prefix, [A, {"N": "1"}])
    found = [n for n in range(5) if within(key, keyspace.index_segment_range(7, 3, n, 5))]
    assert len(found) == 1
    assert keyspace.index_segment_range(7, 3, 4, 5)[1] == keyspace.index_range(7, 3)[1]


@given(st.integers(1, 2**32 - 2), key_values, key_values)
def test_every_key_of_a_table_is_in_its_range_and_its_space_only(number, partition, sort):
    prefix = keyspace.index_partition_prefix(number, 1, [partition], [sort])
    keys = [
        keyspace.item_key(number, partition, sort),
        keyspace.index_entry_key(prefix, [partition, sort]),
        keyspace.item_count_key(number),
        keyspace.bytes_key(number, 9),
        keyspace.log_key(number, 1) + bytes(8),
    ]
    assert all(within(key, keyspace.table_range(number)) for key in keys)
    for bounds in (system_keys.catalog_range(), system_keys.dropped_range()):
        assert not any(within(key, bounds) for key in keys)
    assert [within(key, keyspace.items_range(number)) for key in keys] == [True] + [False] * 4
    assert [within(key, keyspace.index_range(number, 1)) for key in keys] == [
        False,
        True,
        False,
        False,
        False,
    ]
    for other in (number - 1, number + 1):
        if other < 2**32 - 1:
            assert not any(within(key, keyspace.table_range(other)) for key in keys)


def test_the_items_of_a_partition_are_a_range():
    bounds = key_ranges.prefix_range(keyspace.partition_prefix(7, A))
    assert within(keyspace.item_key(7, A, None), bounds)
    assert within(keyspace.item_key(7, A, {"S": "\U0010ffff" * 256}), bounds)
    assert not within(keyspace.item_key(7, {"S": "b"}, None), bounds)


# Whatever follows the prefix: a value, or the hash that ends an entry, be it all ones.
@given(
    st.binary(min_size=5, max_size=25),
    st.none() | key_values,
    st.binary(min_size=16, max_size=16) | st.just(b"\xff" * 16),
    st.binary(max_size=3),
)
def test_what_a_partition_holds_is_in_its_range(prefix, sort, entry, more):
    bounds = keyspace.partition_range(prefix)
    assert within(prefix, bounds)
    assert within(prefix + entry, bounds)
    if sort is not None:
        assert within(prefix + ordered(sort), bounds)
        assert within(prefix + ordered(sort) + entry, bounds)
    assert not within(prefix[:-1], bounds)
    if prefix[-1] < 0xFF:
        assert not within(prefix[:-1] + bytes((prefix[-1] + 1,)) + more, bounds)
