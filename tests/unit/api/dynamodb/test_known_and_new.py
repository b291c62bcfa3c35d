"""What is cached of requests changes no answer: each is answered as if it were the first of all."""

import contextlib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.operation import TableMode
from hashrange.errors import DynamoError
from hashrange.wire.answers import encode, encode_error
from hashrange.wire.codec import DECODE_ERRORS, Decoder
from tests.unit.api.dynamodb.alike_requests import REQUESTS, TABLES, alike
from tests.unit.api.dynamodb.still_server import CALLER, StillServer
from tests.unit.caches import caches, forget


def answered(server, operation, request):
    """The bytes of the answer."""
    try:
        typed = Decoder(OPERATIONS[operation].request).decode(msgspec.json.encode(request))
        return encode(server.run(server.pipeline.perform(operation, typed, CALLER)))
    except DECODE_ERRORS as error:
        return str(error)
    except DynamoError as error:
        return error.fault.name, encode_error(error)


@contextlib.contextmanager
def new_server():
    server = StillServer(transient_ms=0)
    try:
        for each in TABLES:
            server.call("CreateTable", **each)
        yield server
    finally:
        server.end()


def test_all_operations_on_items_are_drawn_with_all_their_members():
    on_items = {name for name, row in OPERATIONS.items() if row.tables is TableMode.OPEN}
    assert set(REQUESTS) == on_items
    for name, (base, members) in REQUESTS.items():
        fields = msgspec.structs.fields(OPERATIONS[name].request)
        assert {*base, *members} == {field.encode_name for field in fields}, name


# Each history twice: where all is forgotten before each request, and where nothing is.
@pytest.mark.parametrize("operation", sorted(REQUESTS))
@given(data=st.data())
@settings(max_examples=settings.default.max_examples // 5)
def test_known_shapes_are_answered_as_new_ones(operation, data):
    histories = data.draw(st.lists(alike(operation), min_size=1, max_size=3))
    history = [request for history in histories for request in history] * 2
    assert len(caches()) > 5, "one for each operation on items, and those of expressions"
    forget()
    with new_server() as mindful:
        found = [answered(mindful, operation, request) for request in history]
    with new_server() as forgetful:
        for request, with_cache in zip(history, found, strict=True):
            forget()
            assert with_cache == answered(forgetful, operation, request), request
