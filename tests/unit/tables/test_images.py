"""How items lie in the engine."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import item_bytes
from hashrange.model.wording import Wording
from hashrange.tables.images import (
    Image,
    check,
    image_and_version,
    image_from,
    image_of,
    item_of,
    json_list_of,
    json_of,
    size_of,
    sizes_of,
    stored,
)
from tests.unit.model.strategies import items

canonical_items = items.map(lambda item: canonical_item(item, Wording.CURRENT).item)


# What stands here is on disks.
def test_layout():
    image = image_of({"pk": {"S": "é"}, "n": {"N": "1"}}, 7)
    assert image == Image(7, '{"pk":{"S":"é"},"n":{"N":"1"}}'.encode())
    expected = "02 00000007 0000000000000000 0000 3ff0692e" + image.json.hex()
    assert stored(image).hex() == expected.replace(" ", "")
    expected = "02 00000007 0001020304050607 0203 cfbc2f8c" + image.json.hex()
    assert stored(image, 0x01020304050607, 0x0203).hex() == expected.replace(" ", "")


@given(canonical_items)
def test_item_comes_back(item):
    image = image_of(item, item_bytes(item))
    again = image_from(stored(image))
    assert again == image
    assert again.item() == item
    assert list(again.item()) == list(item)


# What is spliced into answers is JSON that every client reads.
@given(canonical_items)
def test_json_is_what_any_parser_reads(item):
    assert json.loads(image_of(item, 0).json) == item


@given(st.integers(0, 2**32 - 1), st.binary())
def test_header_holds_every_size(size, data):
    assert image_from(stored(Image(size, data))) == Image(size, data)


# What reads see of the bytes is what an image is made of.
@given(st.lists(canonical_items, max_size=4))
def test_what_reads_see_without_an_image(several):
    values = [stored(image_of(item, item_bytes(item))) for item in several]
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
    other = b"\x01" + stored(Image(0, b"{}"))[1:]
    for read in (image_from, image_and_version, size_of, check):
        with pytest.raises(AssertionError, match="unknown format"):
            read(other)
        with pytest.raises(AssertionError, match="cut off"):
            read(b"\x02\x00")


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**16 - 1))
def test_version_comes_back(version, region):
    image = Image(2, b"{}")
    assert image_and_version(stored(image, version, region)) == (image, version)


# A disk that alters a byte is noticed, wherever it is: the number 1 that becomes a 3 is an item.
def test_altered_items_are_noticed():
    value = stored(Image(3, b'{"n":{"N":"1"}}'), 7)
    check(value)
    for place in range(1, len(value)):
        with pytest.raises(AssertionError, match="checksum"):
            check(value[:place] + bytes((value[place] ^ 2,)) + value[place + 1 :])
