"""Whatever comes over the wire is read or refused, and both ways of reading agree."""

import json
from copy import deepcopy

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.signatures.canonical import Identity
from hashrange.access.signatures.sigv4 import caller
from hashrange.errors import DynamoError, Fault
from hashrange.wire import enums
from hashrange.wire.arns import Arn, index_arn, parsed, stream_arn, table_arn, table_name_of
from hashrange.wire.codec import Decoder, is_json
from hashrange.wire.constraints import (
    between,
    each,
    each_value,
    inside,
    length,
    list_members,
    map_keys,
    map_values,
    matches,
    one_of,
    required,
    rows,
)
from hashrange.wire.exchange import operation_of
from hashrange.wire.rules import ITSELF, Form
from hashrange.wire.violations import violations
from tests.unit.wire.model import OPERATIONS, model, request_type

texts = st.text(max_size=3)
base64s = st.sampled_from(["", "AA==", "/w==", "AAA=", "AAAA"])


def _values(inner):
    return st.one_of(
        st.builds(lambda values: {"L": values}, st.lists(inner, max_size=3)),
        st.builds(lambda values: {"M": values}, st.dictionaries(texts, inner, max_size=3)),
    )


values = st.recursive(
    st.one_of(
        texts.map(lambda text: {"S": text}),
        texts.map(lambda text: {"N": text}),
        base64s.map(lambda text: {"B": text}),
        st.booleans().map(lambda flag: {"BOOL": flag}),
        st.just({"NULL": True}),
        st.just({}),
        st.lists(texts, max_size=3).map(lambda each: {"SS": each}),
        st.lists(texts, max_size=3).map(lambda each: {"NS": each}),
        st.lists(base64s, max_size=3).map(lambda each: {"BS": each}),
    ),
    _values,
    max_leaves=5,
)


SCALARS = {
    "boolean": st.booleans(),
    "integer": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "double": st.floats(allow_nan=False, allow_infinity=False),
    "timestamp": st.floats(allow_nan=False, allow_infinity=False),
    "string": texts,
}


def bodies_of(shape):
    """JSON that fits a shape of the model."""
    match shape.type_name:
        case "structure" if shape.name == "AttributeValue":
            return values
        case "structure":
            members = {name: bodies_of(inner) for name, inner in shape.members.items()}
            return st.fixed_dictionaries({}, optional=members)
        case "list":
            return st.lists(bodies_of(shape.member), max_size=2)
        case "map":
            return st.dictionaries(texts, bodies_of(shape.value), max_size=2)
        case scalar:
            return SCALARS[scalar]


def refused_or_read(read, *sent):
    """What was read, or the refusal; anything else that is raised fails the test."""
    try:
        return read(*sent)
    except DynamoError as refused:
        return refused


def is_refusal_of_a_body(answer):
    return isinstance(answer, DynamoError) and answer.fault in {
        Fault.SERIALIZATION,
        Fault.VALIDATION,
    }


DECODERS = {operation: Decoder(request_type(*operation)) for operation in OPERATIONS}
BODIES = {
    (service, name): bodies_of(model(service).operation_model(name).input_shape)
    for service, name in OPERATIONS
}
operations = st.sampled_from(OPERATIONS)
requests = operations.flatmap(lambda operation: st.tuples(st.just(operation), BODIES[operation]))

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    st.sampled_from(["true", "0", "yes", "===="]),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(texts | st.just("S"), inner, max_size=3)
    ),
    max_leaves=8,
)


def _without_nulls(data):
    match data:
        case dict():
            return {name: _without_nulls(each) for name, each in data.items() if each is not None}
        case list():
            return [_without_nulls(each) for each in data]
        case _:
            return data


def _places(data):
    """Every container in the data, with every key of it."""
    if isinstance(data, dict):
        keys = list(data)
    elif isinstance(data, list):
        keys = list(range(len(data)))
    else:
        return
    for key in keys:
        yield data, key
        yield from _places(data[key])


@given(requests)
def test_requests_of_every_operation_come_back_as_they_were_sent(drawn):
    operation, data = drawn
    request = DECODERS[operation].decode(json.dumps(data).encode())
    assert _without_nulls(msgspec.json.decode(msgspec.json.encode(request))) == data


# The walk is the slow twin of the decoder; where the decoder reads a body, both must read the same.
@given(requests)
def test_both_ways_of_reading_agree(drawn):
    operation, data = drawn
    decoder = DECODERS[operation]
    body = json.dumps(data, ensure_ascii=False).encode()
    assert decoder.reread(body) == decoder.decode(body)


@given(requests, st.data(), anything)
def test_what_is_added_and_null_or_unknown_changes_nothing(drawn, data_, further):
    operation, data = drawn
    members = list(request_type(*operation).__struct_encode_fields__)
    name = data_.draw(st.sampled_from([*members, "Unknown", ""]))
    plain = DECODERS[operation].decode(json.dumps(data).encode())
    added = {"Unknown": further, name: None} | data
    assert DECODERS[operation].decode(json.dumps(added).encode()) == plain
    assert DECODERS[operation].reread(json.dumps(added).encode()) == plain


@given(requests, st.data(), anything)
def test_a_changed_body_is_read_or_refused(drawn, data_, wrong):
    # A copy: what is drawn may be a constant of the strategy, which other examples are given too.
    operation, data = deepcopy(drawn)
    places = list(_places(data))
    if places:
        container, key = data_.draw(st.sampled_from(places))
        container[key] = wrong
    answer = refused_or_read(DECODERS[operation].decode, json.dumps(data).encode())
    assert is_refusal_of_a_body(answer) or isinstance(answer, request_type(*operation))


@given(operations, anything)
def test_any_json_is_read_or_refused(operation, data):
    body = json.dumps(data).encode()
    assert is_json(body)
    answer = refused_or_read(DECODERS[operation].decode, body)
    assert is_refusal_of_a_body(answer) or isinstance(answer, request_type(*operation))


@given(requests, st.data())
def test_any_bytes_are_read_or_refused(drawn, data_):
    operation, data = drawn
    body = bytearray(json.dumps(data).encode())
    start = data_.draw(st.integers(0, len(body)))
    end = data_.draw(st.integers(start, len(body)))
    body[start:end] = data_.draw(st.binary(max_size=4))
    answer = refused_or_read(DECODERS[operation].decode, bytes(body))
    if isinstance(answer, DynamoError):
        assert is_refusal_of_a_body(answer)
        # Only what can be read as JSON is told what is wrong with it.
        assert answer.message is None or is_json(bytes(body))


names = st.text("abcXYZ019_.-", min_size=3, max_size=10)
regions = st.text("abcXYZ019_.-", min_size=1, max_size=10)
accounts = st.text("0123456789", min_size=12, max_size=12)


@given(regions, accounts, names, names)
def test_arns_round_trip(region, account, table, index):
    arn = table_arn(region=region, account=account, table=table)
    assert parsed(arn) == Arn(region, account, table)
    assert table_name_of(arn) == table
    assert parsed(index_arn(arn, index)) == Arn(region, account, table, index=index)
    label = "2026-11-21T10:20:30.456"
    assert parsed(stream_arn(arn, label)) == Arn(region, account, table, label=label)


arn_pieces = st.sampled_from(["arn", "aws", "dynamodb", "eu", "1" * 12, "table", "abc", ":", "/"])


@given(st.lists(arn_pieces | texts, max_size=14).map("".join))
def test_any_text_is_a_name_or_an_arn_or_refused(text):
    known = parsed(text)
    assert known is None or known.table in text
    name = refused_or_read(table_name_of, text)
    if isinstance(name, DynamoError):
        assert name.fault is Fault.VALIDATION
        assert text.startswith("arn:")
    else:
        assert name in text


auth_pieces = st.sampled_from(
    [
        b"AWS4-HMAC-SHA256",
        b"AWS4-",
        b" ",
        b", ",
        b"Credential=",
        b"SignedHeaders=",
        b"Signature=",
        b"host",
        b";",
        b"a/b/c/d/e",
        b"/",
        b"ab" * 32,
    ]
)
query_pieces = st.sampled_from(
    [b"X-Amz-", b"Algorithm", b"Credential", b"=", b"&", b"Date", b"a/b/c/d/e", b"%2F", b"%zz"]
)


@given(
    st.lists(auth_pieces | st.binary(max_size=3), max_size=12).map(b"".join) | st.none(),
    st.sampled_from([None, b"20261121T100000Z", b"x", b"\xff"]),
    st.lists(query_pieces | st.binary(max_size=3), max_size=12).map(b"".join),
)
def test_any_signature_is_read_or_refused(authorization, time, query):
    headers = {b"authorization": authorization, b"x-amz-date": time}
    sent = {name: value for name, value in headers.items() if value is not None}
    answer = refused_or_read(caller, sent, query)
    if isinstance(answer, DynamoError):
        assert answer.fault.status == 400
    else:
        assert isinstance(answer, Identity)
        assert ":" not in answer.region


@given(st.binary(max_size=30))
def test_any_target_is_known_or_not(target):
    assert operation_of(target) is None


CREATE_TABLE = rows(
    required("table_name"),
    length("table_name", 1, 2),
    matches("table_name", "[a-z]+"),
    one_of("billing_mode", enums.BILLING_MODE),
    length("key_schema", 1, 1),
    each("key_schema", required("attribute_name"), one_of("key_type", enums.KEY_TYPE)),
    inside("provisioned_throughput", required("read_capacity_units")),
    inside("provisioned_throughput", between("read_capacity_units", 1, 10)),
    each(
        "local_secondary_indexes",
        required("index_name"),
        inside("projection", list_members("non_key_attributes", least=1, most=2)),
    ),
)
BATCH_WRITE_ITEM = rows(
    required("request_items"),
    map_keys("request_items", least=1, most=2, pattern="[a-z]+"),
    map_values("request_items", least=1, most=1),
    each_value("request_items", each(ITSELF, inside("put_request", required("item")))),
)


# The predicate decides, the texts explain: neither may know of a fault that the other does not.
@given(BODIES["dynamodb", "CreateTable"], BODIES["dynamodb", "BatchWriteItem"])
def test_what_does_not_hold_is_told_and_only_that(create_table, batch_write_item):
    for name, data, several in (
        ("CreateTable", create_table, CREATE_TABLE),
        ("BatchWriteItem", batch_write_item, BATCH_WRITE_ITEM),
    ):
        request = DECODERS["dynamodb", name].decode(json.dumps(data).encode())
        # One by one too, or the fault of one row hides that of another.
        for some in (several, *(rows(row) for row in several.rows)):
            for form in Form:
                assert some.hold(request) == (not violations(request, some, form))
