"""What a write costs that is refused because of its item."""

import pytest

from hashrange.api.dynamodb.partiql.permissions import NewItem
from hashrange.api.steps.operation import ChargedError
from hashrange.model.canonical import encoded_item
from hashrange.model.table import Index, Vector
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.tables.definitions import definition

VECTOR = Vector(attribute="v", dimensions=1, distance="EUCLIDEAN")
INDEX = Index(name="vix", number=1, partition=(), projection="ALL", vector=VECTOR)
WIDE = "12345678901234567890123456789012345678"


# The number has 20 bytes in a list, and 4 in a vector of an index.
@pytest.mark.parametrize(("indexes", "units"), [((), 2.0), ((INDEX,), 1.0)])
def test_a_vector_of_an_index_is_charged_at_four_bytes_a_dimension(indexes, units):
    pad = {"S": "x" * (1024 - len("pkavpad") - 4)}
    item = {"pk": {"S": "a"}, "v": {"L": [{"N": WIDE}]}, "pad": pad}
    encoded = encoded_item(item, Wording.CURRENT)
    before, table = Image(encoded.size, encoded.json), OpenTable(definition(vectors=indexes), {})
    with pytest.raises(ChargedError) as refused:
        NewItem(None).admit(before, table)
    assert refused.value.write_units == units
