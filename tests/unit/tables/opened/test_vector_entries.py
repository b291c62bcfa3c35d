"""The vectors of items, read from their JSON and printed again."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.canonical import encoded_item
from hashrange.model.table import Index, KeyAttribute, Vector
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image
from hashrange.tables.opened.index_entries import IndexEntries
from hashrange.tables.opened.vector_entries import as_list, vectors_of
from tests.unit.tables.definitions import definition

VECTOR = Vector(attribute="v", dimensions=2, distance="COSINE", filters=(KeyAttribute("f", "S"),))
TEXTS = ["0", "-1.5", "1E-7", "3.4E38", "3.5E38", "-9.9E125", "1E-130", "0.1", "9" * 38]
NUMBERS = st.sampled_from(TEXTS).map(lambda text: {"N": text})
OTHERS = st.sampled_from(
    [
        {"S": '1"},{"N":"2'},
        {"S": "1"},
        {"NULL": True},
        {"L": [{"N": "1"}, {"N": "2"}]},
        {"M": {"N": {"N": "1"}}},
        {"NS": ["1", "2"]},
    ]
)
LISTS = st.lists(NUMBERS, min_size=2, max_size=2) | st.lists(NUMBERS | OTHERS, max_size=3)
VALUES = LISTS.map(lambda elements: {"L": elements}) | OTHERS
ITEMS = st.dictionaries(st.sampled_from(["a", "f", "é", "v", "w"]), VALUES, max_size=5).map(
    lambda item: {"pk": {"S": "k"}, **item}
)


# An index that is built reads the JSON of items; writes have them as values.
@given(ITEMS, st.sampled_from(["ALL", "KEYS_ONLY"]))
def test_the_entry_of_an_image_is_that_of_its_item(item, projection):
    encoded = encoded_item(item, Wording.CURRENT)
    index = Index(name="vix", number=1, partition=(), projection=projection, vector=VECTOR)
    made = IndexEntries(definition(vectors=(index,)), index)
    found = made.entry_of(Image(encoded.size, encoded.json))
    vectors = vectors_of((VECTOR,), encoded.item, encoded.size)
    key = made.key(encoded.item)
    assert (found is None) is (not vectors) is (key is None)
    if key is not None:
        assert found == made.projected(key, encoded.item, vectors)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1.0"),
        (-0.1, "-0.1"),
        (16777216.0, "16777216.0"),
        (1e-7, "0.0000001"),
        (1e10, "10000000000.0"),
        (0.30000001192092896, "0.3"),
        (1.1754943508222875e-38, "0.000000000000000000000000000000000000011754944"),
        (3.4028234663852886e38, "340282350000000000000000000000000000000.0"),
    ],
)
def test_numbers_are_the_shortest_that_name_them(number, text):
    assert as_list(struct.pack("<f", number)) == {"L": [{"N": text}]}
