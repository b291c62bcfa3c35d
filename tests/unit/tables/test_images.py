"""How items lie in the engine."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import item_bytes
from hashrange.model.wording import Wording
from hashrange.tables.images import (
    image_from,
    image_of,
    image_of_json,
    item_of,
    json_list_of,
    json_of,
    size_of,
    sizes_of,
)
from tests.unit.model.strategies import items

canonical_items = items.map(lambda item: canonical_item(item, Wording.CURRENT).item)


# What stands here is on disks.
def test_layout():
    image = image_of({"pk": {"S": "é"}, "n": {"N": "1"}}, 7)
    assert image == image_of_json('{"pk":{"S":"é"},"n":{"N":"1"}}'.encode(), 7)
    assert image.stored == b"\x01\x00\x00\x00\x07" + image.json


@given(canonical_items)
def test_item_comes_back(item):
    image = image_of(item, item_bytes(item))
    again = image_from(image.stored)
    assert again == image
    assert again.item() == item
    assert list(again.item()) == list(item)


# What is spliced into answers is JSON that every client reads.
@given(canonical_items)
def test_json_is_what_any_parser_reads(item):
    assert json.loads(image_of(item, 0).json) == item


@given(st.integers(0, 2**32 - 1), st.binary())
def test_header_holds_every_size(size, data):
    assert image_from(image_of_json(data, size).stored) == image_of_json(data, size)


# What reads see of the bytes is what an image is made of.
@given(st.lists(canonical_items, max_size=4))
def test_what_reads_see_without_an_image(several):
    stored = [image_of(item, item_bytes(item)).stored for item in several]
    assert [size_of(value) for value in stored] == [item_bytes(item) for item in several]
    assert sizes_of(stored) == sum(map(item_bytes, several))
    assert [item_of(value) for value in stored] == several
    assert [json.loads(bytes(json_of(value))) for value in stored] == several
    assert json.loads(bytes(json_list_of(stored))) == several


# Each caller may change what it got.
def test_item_is_parsed_anew_at_each_call():
    image = image_of({"a": {"L": []}}, 4)
    image.item()["a"]["L"].append({"S": "x"})
    assert image.item() == {"a": {"L": []}}


# Bytes that another version wrote are not taken for an item.
def test_format_is_checked():
    with pytest.raises(AssertionError, match="unknown format"):
        image_from(b"\x02\x00\x00\x00\x00{}")
    with pytest.raises(AssertionError, match="unknown format"):
        size_of(b"\x02\x00\x00\x00\x00{}")
