"""Bytes to typed requests: what is read, what is made fit, what is refused and how."""

from typing import Annotated, Any

import msgspec
import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.limits.requests import JSON_DEPTH_MAX
from hashrange.model.structures.members import Integer, Long, Timestamp, unread
from hashrange.model.values import AttributeValue, Item
from hashrange.wire.codec import Decoder, is_json
from hashrange.wire.member_types import Structure, structure_of
from tests.rows import rows
from tests.unit.wire.model import OPERATIONS, decoded, decoder, model, refusal, request_type

TAIL = "Invalid last non-pad Base64 character dectected"


@rows(("service", "operation"), OPERATIONS)
def test_the_empty_object_is_a_request_of_every_operation(service, operation):
    request = decoder(operation, service).decode(b"{}")
    assert set(msgspec.structs.asdict(request).values()) <= {None}


@rows(("service", "operation"), OPERATIONS)
def test_shapes_have_every_member_of_the_model(service, operation):
    members = model(service).operation_model(operation).input_shape.members
    assert set(structure_of(request_type(service, operation)).members) == set(members)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("23456", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
        ("=+/=", TAIL),
        ("+/+=", TAIL),
    ],
)
@pytest.mark.parametrize("blob", ["B", "BS"])
def test_base64_is_told_where_it_stands(text, said, blob):
    value = {blob: text if blob == "B" else [text]}
    # Only the exact look finds it; whoever makes values canonical refuses the others.
    assert refusal("PutItem", {"Item": {"a": value}, "Limit": None, "TableName": 5}) == said


def test_the_first_fault_in_the_order_of_the_body_is_told():
    assert refusal("Query", b'{"Limit":"5","IndexName":5}') == (
        "STRING_VALUE cannot be converted to Integer"
    )
    assert refusal("Query", b'{"IndexName":5,"Limit":"5"}') == (
        "NUMBER_VALUE cannot be converted to String"
    )


# Null is an absent member, wherever it stands; an unknown member is not looked at.
@pytest.mark.parametrize("fault", [None, {"Limit": 1.0}])
def test_nulls_and_unknown_members_are_dropped(fault):
    body = {"TableName": None, "Unknown": [5], "KeyConditions": {"a": {"Unknown": 1}}}
    request = decoded("Query", body | (fault or {}))
    assert request.table_name is None
    assert request.key_conditions == {"a": type(request.key_conditions["a"])()}


def test_nulls_within_values_are_dropped():
    request = decoded("PutItem", {"Item": {"a": {"S": "x", "N": None, "Unknown": 5}}})
    assert request.item == {"a": {"S": "x"}}


# Nothing is lost unseen: a null where a part is expected becomes an empty one, and is refused by
# the checks that come after.
def test_nulls_in_lists_and_maps_are_empty_parts():
    request = decoded("PutItem", {"Item": {"a": None, "b": {"L": [None], "NS": [None]}}})
    assert request.item == {"a": {}, "b": {"L": [{}], "NS": [""]}}
    batch = decoded("BatchWriteItem", {"RequestItems": {"a": None}})
    assert batch.request_items == {"a": []}
    gets = decoded("BatchGetItem", {"RequestItems": {"a": {"Keys": [None]}}})
    assert gets.request_items["a"].keys == [{}]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("SS", "An string set may not have a null string as a member"),
        ("BS", "Binary sets may not contain null or empty values"),
    ],
)
def test_sets_whose_members_may_be_empty_refuse_null(kind, text):
    with pytest.raises(DynamoError) as refused:
        decoded("PutItem", {"Item": {"a": {kind: ["AA==", None]}}})
    assert refused.value.fault is Fault.VALIDATION
    assert refused.value.message == f"One or more parameter values were invalid: {text}"


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "1", "yes", "YES"])
def test_words_for_true(word):
    assert decoded("Query", {"ConsistentRead": word}).consistent_read is True


@pytest.mark.parametrize("word", ["false", "FALSE", "0", "no"])
def test_words_for_false(word):
    assert decoded("PutItem", {"Item": {"a": {"BOOL": word}}}).item == {"a": {"BOOL": False}}


@rows(
    ("sent", "read"),
    [
        (b"1.0", 1),
        (b"5.9", 5),
        (b"-5.9", -5),
        (b"1e3", 1000),
        (b"2147483648", 2147483647),
        (b"-2147483649", -2147483648),
        (b"1e99", 2147483647),
        (b"-1e99999999999999", -2147483648),
        (b"1e-99999999999999", 0),
        (b"0e99999999999999", 0),
        (b"1e99999999999999999999", 2147483647),
        (b"1e-99999999999999999999", 0),
        (b"-0.0e99999999999999999999", 0),
    ],
)
def test_numbers_lose_their_fraction_and_stay_in_range(sent, read):
    assert decoded("Query", b'{"Limit":%s}' % sent).limit == read


def test_long_numbers_are_exact():
    body = b'{"ProvisionedThroughput":{"ReadCapacityUnits":9007199254740993.0}}'
    assert decoded("CreateTable", body).provisioned_throughput.read_capacity_units == 2**53 + 1


@pytest.mark.parametrize("sent", [b"1e400", b"-1e400", b"1" + b"0" * 400])
def test_timestamps_stay_finite(sent):
    bound = decoded("ListBackups", b'{"TimeRangeLowerBound":%s}' % sent).time_range_lower_bound
    assert abs(bound) == 1.7976931348623157e308


def test_timestamps_with_and_without_fraction():
    assert decoded("ListBackups", {"TimeRangeLowerBound": 17}).time_range_lower_bound == 17
    request = decoded("ListBackups", b'{"TimeRangeLowerBound":17.5,"Limit":1.0}')
    assert request.time_range_lower_bound == 17.5


def test_the_last_of_duplicate_members_counts():
    assert decoded("PutItem", b'{"TableName":"a","TableName":"b"}').table_name == "b"
    request = decoded("Query", b'{"TableName":5,"TableName":"b","Limit":1.0}')
    assert request.table_name == "b"


BROKEN = [
    b"hi",
    b"{",
    b'{"TableName":"a"',
    b'{"TableName":"a"}x',
    b'{"TableName":5,}',
    b'{"TableName":"\xff"}',
    b'{"Unknown":"\\ud800"}',
    b'{"TableName":"\\ud800"}',
    b'{"TableName":"\\udc00\\ud800"}',
    b'{"TableName":"\xed\xa0\x80"}',
    b'{"TableName":NaN}',
    b'{"Limit":01}',
    b"\xef\xbb\xbf{}",
    b'{"Item":' + b'{"a":{"M":' * 100_000 + b"{}" + b"}}" * 100_000 + b"}",
    b'{"Unknown":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"TableName":5,"Unknown":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
]
NO_OBJECT = [b"[]", b"null", b'"x"', b"5", b"true", b" [] "]


@pytest.mark.parametrize("body", [b"", b" ", *BROKEN, *NO_OBJECT], ids=lambda body: body[:24])
def test_what_is_no_json_object_is_refused_without_text(body):
    assert refusal("PutItem", body) is None


DEEP_ITEM = (b'{"Item":{"a":', b'{"M":{"a":', b"{}", b"}}", b"}%s}")
DEEP_LIST = (b'{"Item":{"a":', b'{"L":[', b"", b"]}", b"}%s}")
DEEP_UNKNOWN = (b'{"Unknown":{"a":', b"[[", b"", b"]]", b"}%s}")


# For every Python the same, whether C looks at it or the walk in Python.
@pytest.mark.parametrize("parts", [DEEP_ITEM, DEEP_LIST, DEEP_UNKNOWN], ids=["M", "L", "unknown"])
def test_json_of_every_depth_up_to_the_bound_is_read(parts):
    before, opening, leaf, closing, after = parts
    for levels in range(50, JSON_DEPTH_MAX + 50, 2):
        inner = (levels - 2 - len(leaf) // 2) // 2
        deep = before + opening * inner + leaf + closing * inner + after
        plain, wrong = deep % b',"TableName":"a"', deep % b',"TableName":5'
        if levels <= JSON_DEPTH_MAX:
            assert decoded("PutItem", plain).table_name == "a"
            assert refusal("PutItem", wrong) == "NUMBER_VALUE cannot be converted to String"
        else:
            assert refusal("PutItem", plain) is None
            assert refusal("PutItem", wrong) is None
        assert is_json(plain) is is_json(wrong) is (levels <= JSON_DEPTH_MAX)


@pytest.mark.parametrize("body", [b"", *BROKEN], ids=lambda body: body[:24])
def test_broken_json_is_known_as_such(body):
    assert not is_json(body)


@rows("body", [b"{}", *NO_OBJECT, b'{"a":1e999}', b'{"TableName":5}'])
def test_json_of_any_kind_passes(body):
    assert is_json(body)


# Where only the presence of a structure matters, a request type may leave its members out.
class Loose(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    stream: Annotated[dict[str, Any], unread("Stream")] | None = None
    updates: list[Annotated[dict[str, Any], unread("Update")]] | None = None
    enabled: bool | None = None


def test_structures_without_declared_members():
    decode = Decoder(Loose).decode
    assert decode(b'{"Stream":{"A":[1]}}') == Loose(stream={"A": [1]})
    read = decode(b'{"Stream":{},"Updates":[{}],"Enabled":true,"Unknown":1}')
    assert decode(b'{"Stream":{},"Updates":[null],"Enabled":true}') == read
    assert structure_of(Loose).members["Stream"] == Structure(name="Stream", members={})


class Small(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    table_name: str | None = None
    item: Item | None = None
    one: AttributeValue | None = None
    plain: int | None = None
    units: Long | None = None
    limit: Integer | None = None
    at: Timestamp | None = None


# A plain int is a Long, so that nothing is cut off by mistake.
def test_members_by_hand():
    decode = Decoder(Small).decode
    assert decode(b'{"Plain":1e10,"Units":1e10,"Limit":1e10,"At":1}') == Small(
        plain=10**10, units=10**10, limit=2**31 - 1, at=1.0
    )
    assert decode(b'{"One":{"S":"x"},"Item":{"a":{"NULL":true}}}') == Small(
        one={"S": "x"}, item={"a": {"NULL": True}}
    )
