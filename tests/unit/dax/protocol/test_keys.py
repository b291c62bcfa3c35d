import pytest

from hashrange.dax.protocol.items import (
    encode_attributes,
    encode_changed,
    encode_projected,
    read_attributes,
)
from hashrange.dax.protocol.keys import (
    Schema,
    encode_compound_key,
    encode_key,
    read_compound_key,
    read_key,
)
from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.wording import Wording
from tests.unit.dax.protocol.facts import FLAT, KnownFacts

# As the official client of Python sends them.
KEYS = [
    (Schema("h", "S"), "666f6f", {"h": {"S": "foo"}}),
    (Schema("h", "N"), "182a", {"h": {"N": "42"}}),
    (Schema("h", "N"), "c48220184b", {"h": {"N": "7.5"}}),
    (Schema("h", "B"), "626172", {"h": {"B": "YmFy"}}),
    (Schema("h", "S", "r", "S"), "63666f6f62617a", {"h": {"S": "foo"}, "r": {"S": "baz"}}),
    (Schema("h", "S", "r", "N"), "63666f6fc26c0010", {"h": {"S": "foo"}, "r": {"N": "42"}}),
    (Schema("h", "S", "r", "B"), "63666f6f626172", {"h": {"S": "foo"}, "r": {"B": "YmFy"}}),
    (Schema("h", "N", "r", "S"), "182a666f6f", {"h": {"N": "42"}, "r": {"S": "foo"}}),
    (Schema("h", "N", "r", "N"), "1907cb3ed77fe0", {"h": {"N": "1995"}, "r": {"N": "-1.5"}}),
    (Schema("h", "B", "r", "B"), "4362617200ff", {"h": {"B": "YmFy"}, "r": {"B": "AP8="}}),
]


@pytest.mark.parametrize(("schema", "encoded", "key"), KEYS)
def test_keys(schema, encoded, key):
    sent = read_key(schema, bytes.fromhex(encoded))
    assert canonical_item(sent, Wording.CURRENT).item == key
    assert encode_key(schema, {"other": {"S": "x"}, **key}).hex() == encoded


@pytest.mark.parametrize(
    ("schema", "encoded"),
    [
        (Schema("h", "S"), "ff"),
        (Schema("h", "N"), ""),
        (Schema("h", "N"), "6161"),
        (Schema("h", "N"), "0101"),
        (Schema("h", "S", "r", "N"), "6161"),
        (Schema("h", "S", "r", "S"), "64"),
    ],
)
def test_keys_of_other_schemas(schema, encoded):
    with pytest.raises(DynamoError, match="does not match the schema"):
        read_key(schema, bytes.fromhex(encoded))


# Of a table that was replaced between the decoder and the answer.
def test_items_of_other_schemas():
    with pytest.raises(DynamoError):
        encode_key(Schema("h", "S"), {"other": {"S": "x"}})


def test_compound_keys():
    encoded = "bf6167614762706b617062736b05ff"
    key = {"g": {"S": "G"}, "pk": {"S": "p"}, "sk": {"N": "5"}}
    assert read_compound_key(bytes.fromhex(encoded)) == key
    assert encode_compound_key(key).hex() == encoded
    with pytest.raises(DynamoError):
        read_compound_key(b"\x01")


# Keys are not in the attributes; the order is that of the list, which the server sorts.
def test_attributes():
    facts = KnownFacts(lists=[("a", "b")])
    item = {"pk": {"S": "k"}, "b": {"N": "7.5"}, "a": {"S": "foo"}}
    encoded = "4a0263666f6fc48220184b"
    assert encode_attributes(item, FLAT, facts).hex() == encoded
    assert encode_attributes({"pk": {"S": "k"}}, FLAT, facts).hex() == "4101"
    attributes = read_attributes(bytes.fromhex(encoded)[1:], facts)
    assert attributes == {"a": {"S": "foo"}, "b": {"N": "75E-1"}}
    assert read_attributes(b"\x01", facts) == {}


@pytest.mark.parametrize("encoded", ["", "0263666f6f", "02010203", "01f6", "6161", "0261 61"])
def test_no_attributes(encoded):
    with pytest.raises(DynamoError):
        read_attributes(bytes.fromhex(encoded), KnownFacts(lists=[("a", "b")]))


def test_changed_attributes():
    facts = KnownFacts(lists=[("obj", "zz")])
    changed = {"zz": {"N": "9"}, "obj": {"M": {"q": {"N": "9"}}}}
    assert encode_changed(changed, facts).hex() == "4a02bf00a16171090109ff"


# Elements of lists are found where they are; what is not there is left out.
def test_projected_items():
    item = {"a": {"N": "1"}, "l": {"L": [{"N": "0"}, {"M": {"x": {"N": "2"}}}]}}
    paths = [["a"], ["l", 1, "x"], ["l", 5], ["l", "x"], ["a", "b"], ["b"], ["l", 0]]
    assert encode_projected(item, paths).hex() == "a3000101020600"
