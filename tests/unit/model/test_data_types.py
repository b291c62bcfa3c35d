"""A data type is a row: everything that converts values knows each of them."""

import botocore.session
import pytest

from hashrange.backups.exports.ion_text import item_text
from hashrange.backups.imports.ion_text import ion_line_of
from hashrange.cli.prompt.rendering import literal_of
from hashrange.dax.protocol.values import encode_value, read_value
from hashrange.model.canonical import canonical_value
from hashrange.model.data_types import DATA_TYPES, MODEL_ORDER, SETS
from hashrange.model.sizes import value_bytes
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording
from hashrange.tools.copying.item_lines import is_typed, parsed_json, plain_json_of, typed_value
from hashrange.tools.models.items import generated
from hashrange.tools.models.samples import is_typed as is_sample
from hashrange.tools.models.schema import Entity
from hashrange.wire.echo import as_java, lower_first
from hashrange.wire.member_types import VALUE
from hashrange.wire.reading import read
from tests.unit.expressions.requests import condition, update

# A content of each type, its bytes, its size(), as plain JSON, as a literal of PartiQL.
SAMPLES = {
    "S": ("é", 2, 1, '"é"', "'é'"),
    "N": ("15", 2, None, "15", "15"),
    "B": ("AAA=", 2, 2, '"AAA="', "base64 AAA="),
    "BOOL": (True, 1, None, "true", "true"),
    "NULL": (True, 1, None, "null", "null"),
    "SS": (["a", "b"], 2, 2, '["a","b"]', "<<'a', 'b'>>"),
    "NS": (["1", "2"], 4, 2, "[1,2]", "<<1, 2>>"),
    "BS": (["AA==", "AAA="], 3, 2, '["AA==","AAA="]', "<<base64 AA==, base64 AAA=>>"),
    "L": ([{"N": "1"}], 6, 1, "[1]", "[1]"),
    "M": ({"a": {"S": "b"}}, 6, 1, '{"a":"b"}', "{'a': 'b'}"),
}
everywhere = pytest.mark.parametrize("code", DATA_TYPES)


def value_of(code):
    return {code: SAMPLES[code][0]}


def test_the_types_are_those_of_the_api():
    model = botocore.session.get_session().get_service_model("dynamodb")
    members = model.shape_for("AttributeValue").members
    assert tuple(members) == MODEL_ORDER
    assert DATA_TYPES.keys() == SAMPLES.keys() == members.keys()
    printed = ", ".join(f"{lower_first(code)}=null" for code in members)
    assert as_java({}, VALUE) == f"AttributeValue({printed})"
    assert AttributeValue.__annotations__.keys() == VALUE.members.keys() == members.keys()


@everywhere
def test_a_value_is_sent_checked_and_measured(code):
    value, size = value_of(code), SAMPLES[code][1]
    assert read(value, VALUE) == value
    assert isinstance(value[code], DATA_TYPES[code].content)
    assert canonical_value(value, Wording.CURRENT) == value
    assert value_bytes(value) == size


@everywhere
def test_a_value_is_converted_and_back(code):
    value, plain, literal = value_of(code), *SAMPLES[code][3:]
    assert read_value(encode_value(value), 0)[0] == value
    line = f"$ion_1_0 {{Item:{item_text({'a': value})}}}"
    assert ion_line_of(line.encode()).item == {"a": value}
    assert is_typed({"a": value})
    assert is_sample(value)
    assert plain_json_of({"a": value}, keeps_types=False) == f'{{"a":{plain}}}'.encode()
    types = {} if code == "NULL" else {"a": code}
    assert typed_value("a", parsed_json(plain), types) == value
    assert literal_of(value) == literal


@everywhere
def test_a_value_is_generated(code):
    entity = Entity(name="an entity", templates={"pk": "a"}, attributes={"a": code})
    assert list(generated(entity, {"pk": "S"}, 1)["a"]) == [code]


@everywhere
def test_expressions_know_the_type(code):
    value, size = value_of(code), SAMPLES[code][2]
    item = {"a": value}
    assert condition("a = :a", {":a": value}).holds(item)
    assert condition("attribute_type(a, :a)", {":a": {"S": code}}).holds(item)
    assert condition("size(a) >= :a", {":a": {"N": "0"}}).holds(item) is DATA_TYPES[code].has_size
    if size is not None:
        assert condition("size(a) = :a", {":a": {"N": str(size)}}).holds(item)
    if code in SETS:
        assert condition("contains(a, :a)", {":a": {code[0]: value[code][0]}}).holds(item)
        assert update("DELETE a :a", {":a": value}).apply(item) == {}
    else:
        with pytest.raises(Exception, match=DATA_TYPES[code].name):
            update("DELETE a :a", {":a": value})
    if DATA_TYPES[code].order is not None:
        assert condition("a <= :a", {":a": value}).holds(item)
