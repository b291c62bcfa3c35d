"""How items lie in the engine."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import item_bytes
from hashrange.model.wording import Wording
from hashrange.storage.engine import DamagedError
from hashrange.tables.items.images import (
    FORMAT_WITHOUT_KEY,
    Image,
    check,
    copied,
    image_and_version,
    image_from,
    image_of,
    item_of,
    json_lines_of,
    json_list_of,
    json_of,
    size_and_version_of,
    size_of,
    sizes_of,
    stored,
    stored_unpacked,
    version_and_region_of,
)
from tests.unit.model.strategies import items

KEY = bytes.fromhex("00000001 01") + bytes(range(16))
# As builds before format 4 have stored items, whose checksum does not have the key.
WITHOUT_KEY = [
    bytes.fromhex("03 00000007 0000000000000000 0000 f09bbd2a") + b'{"pk\x01\xc3\xa9\x03n\x021"}}',
    bytes.fromhex("03 00000007 0001020304050607 0203 866c80ca") + b'{"pk\x01\xc3\xa9\x03n\x021"}}',
]

canonical_items = items.map(lambda item: canonical_item(item, Wording.CURRENT).item)


# What stands here is on disks.
def test_layout():
    image = image_of({"pk": {"S": "é"}, "n": {"N": "1"}}, 7)
    assert image == Image(7, '{"pk":{"S":"é"},"n":{"N":"1"}}'.encode())
    expected = "02 00000007 0000000000000000 0000 3ff0692e" + image.json.hex()
    assert stored_unpacked(image).hex() == expected.replace(" ", "")
    packed = b'{"pk\x01\xc3\xa9\x03n\x021"}}'
    expected = "04 00000007 0000000000000000 0000 547b4906" + packed.hex()
    assert stored(image, KEY).hex() == expected.replace(" ", "")
    expected = "04 00000007 0001020304050607 0203 267f9bef" + packed.hex()
    assert stored(image, KEY, 0x01020304050607, 0x0203).hex() == expected.replace(" ", "")


@given(canonical_items)
def test_item_comes_back(item):
    image = image_of(item, item_bytes(item))
    again = image_from(stored(image, KEY))
    assert again == image
    assert again.item() == item
    assert list(again.item()) == list(item)


# What is spliced into answers is JSON that every client reads.
@given(canonical_items)
def test_json_is_what_any_parser_reads(item):
    assert json.loads(image_of(item, 0).json) == item


@given(st.integers(0, 2**32 - 1), canonical_items)
def test_header_holds_every_size(size, item):
    image = image_of(item, size)
    assert image_from(stored(image, KEY)) == image


# Names and values may look like what is packed, or like the bytes in place of it.
@given(st.lists(st.sampled_from(['":{"S":"', '"},"', "\1", "\3", "\\", '"', "a"])).map("".join))
def test_packed_json_comes_back_whatever_is_in_it(text):
    image = image_of({text: {"S": text}, "n": {"L": [{"S": text}, {"N": "1"}]}}, 1)
    assert image_from(stored(image, KEY)) == image
    assert image.item()[text] == {"S": text}


# Rows that older builds have written stay as they are, beside others.
@given(st.lists(st.tuples(canonical_items, st.booleans()), max_size=4))
def test_rows_of_format_2_are_read_beside_others(several):
    values = [
        stored_unpacked(image) if is_old else stored(image, KEY)
        for item, is_old in several
        for image in (image_of(item, item_bytes(item)),)
    ]
    items = [item for item, _ in several]
    for value, item in zip(values, items, strict=True):
        check(KEY, value)
        assert image_and_version(value) == (image_of(item, item_bytes(item)), 0)
        assert size_and_version_of(value) == (item_bytes(item), 0)
    assert [item_of(value) for value in values] == items
    assert json.loads(bytes(json_list_of(values))) == items
    if items:
        lines = json_lines_of(values, b'{"Item":', b"}\n").splitlines()
        assert [json.loads(line)["Item"] for line in lines] == items


# What reads see of the bytes is what an image is made of.
@given(st.lists(canonical_items, max_size=4))
def test_what_reads_see_without_an_image(several):
    values = [stored(image_of(item, item_bytes(item)), KEY) for item in several]
    assert [size_of(value) for value in values] == [item_bytes(item) for item in several]
    assert sizes_of(values) == sum(map(item_bytes, several))
    assert [item_of(value) for value in values] == several
    assert [json.loads(bytes(json_of(value))) for value in values] == several
    assert json.loads(bytes(json_list_of(values))) == several


# Each caller may change what it got.
def test_item_is_parsed_anew_at_each_call():
    image = image_of({"a": {"L": []}}, 4)
    image.item()["a"]["L"].append({"S": "x"})
    assert image.item() == {"a": {"L": []}}


# Bytes that another version wrote are not taken for an item.
def test_format_is_checked():
    other = b"\x01" + stored(Image(0, b"{}"), KEY)[1:]
    for read in (image_from, image_and_version, size_of, partial(check, KEY)):
        with pytest.raises(AssertionError, match="unknown format"):
            read(other)
        with pytest.raises(AssertionError, match="cut off"):
            read(b"\x03\x00")


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**16 - 1))
def test_version_comes_back(version, region):
    image = Image(2, b"{}")
    assert image_and_version(stored(image, KEY, version, region)) == (image, version)


# A disk that alters a byte is noticed, wherever it is: the number 1 that becomes a 3 is an item.
def test_altered_items_are_noticed():
    value = stored(Image(3, b'{"n":{"N":"1"}}'), KEY, 7)
    check(KEY, value)
    for place in range(1, len(value)):
        with pytest.raises(AssertionError, match="checksum"):
            check(KEY, altered(value, place))


def altered(data, place):
    return data[:place] + bytes((data[place] ^ 2,)) + data[place + 1 :]


# A bit of a key may be altered as well, or a page may have the item of another key.
def test_items_at_other_keys_are_noticed():
    image = Image(3, b'{"n":{"N":"1"}}')
    value = stored(image, KEY, 7)
    for place in range(len(KEY)):
        with pytest.raises(AssertionError, match="checksum"):
            check(altered(KEY, place), value)
        with pytest.raises(DamagedError, match="checksum"):
            copied(value, altered(KEY, place), KEY)


@pytest.mark.parametrize("value", WITHOUT_KEY)
def test_items_of_format_3_are_as_they_were(value):
    assert value[0] == FORMAT_WITHOUT_KEY
    check(KEY, value)
    check(b"other", value)
    image, version = image_and_version(value)
    assert image == image_of({"pk": {"S": "é"}, "n": {"N": "1"}}, 7)
    # It has the checksum of its key once it is copied.
    region = version_and_region_of(value)[1]
    assert copied(value, KEY, b"other") == stored(image, b"other", version, region)


@pytest.mark.parametrize("value", [stored_unpacked(Image(3, b'{"n":{"N":"1"}}')), *WITHOUT_KEY])
def test_altered_items_of_older_formats_are_noticed(value):
    for place in range(1, len(value)):
        with pytest.raises(AssertionError, match="checksum"):
            check(KEY, altered(value, place))
