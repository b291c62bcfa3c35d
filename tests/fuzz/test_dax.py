"""Bytes that no client of DAX sends: a connection ends, or a call is refused; nothing else."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.dax.protocol.expressions import (
    Placeholders,
    condition_text,
    projection_paths,
    update_text,
)
from hashrange.dax.protocol.items import UnknownFactError, read_attributes
from hashrange.dax.protocol.keys import Schema, read_compound_key, read_key
from hashrange.dax.protocol.session import Received, Session
from hashrange.dax.protocol.values import read_value
from hashrange.errors import DynamoError
from hashrange.limits.dax import DAX_REQUEST_BYTES_MAX
from hashrange.wire.cbor.reader import IncompleteError, MalformedError, read_item
from tests.unit.dax.protocol.facts import KnownFacts

RECORDED = sorted((Path(__file__).parent / "dax_sessions").glob("*.hex"))
"""A line for each connection of the programs in tests/clients/dax: what the client has sent."""
SESSIONS = [bytes.fromhex(line) for path in RECORDED for line in path.read_text().split()]
LISTS = [("b", "bs", "l", "n", "ns", "s", "ss", "t", "z"), *[("v",)] * 20]
FACTS = KnownFacts({"flat": Schema("pk", "S"), "sorted": Schema("pk", "S", "sk", "N")}, LISTS)


def played(data):
    """The operations of a connection's calls; each is decoded, and checked as the pipeline does."""
    session, found = Session(), []
    session.bytes_max = DAX_REQUEST_BYTES_MAX
    session.feed(data)
    with contextlib.suppress(MalformedError):
        while (frame := session.next()) is not None:
            if isinstance(frame, Received) and frame.method is None:
                break
            if isinstance(frame, Received) and frame.method.decode is not None:
                with contextlib.suppress(DynamoError, UnknownFactError):
                    call = frame.call(FACTS, "")
                    OPERATIONS[call.operation].check(call.request)
                    found.append(call.operation)
    return found


# All calls of the recorded programs are decoded, and pass the checks that need no table.
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded(path):
    found = {each for line in path.read_text().split() for each in played(bytes.fromhex(line))}
    missing = {"GetItem", "PutItem", "DeleteItem", "UpdateItem", "Query", "Scan"} - found
    missing |= {"BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"} - found
    assert missing == set()


@st.composite
def mutated(draw):
    """A recorded connection with some bytes changed, inserted or removed."""
    data = bytearray(draw(st.sampled_from(SESSIONS)))
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(data)))
        removed = draw(st.integers(0, 4))
        data[at : at + removed] = draw(st.binary(max_size=6))
    return bytes(data)


@given(mutated())
def test_mutated(data):
    played(data)


@given(st.binary(max_size=200))
def test_readers(data):
    for read in (
        lambda: read_item(data, 0),
        lambda: read_value(data, 0),
        lambda: condition_text(data, Placeholders()),
        lambda: condition_text(b"\x83\x01" + data, Placeholders()),
        lambda: update_text(b"\x82\x01" + data, Placeholders()),
        lambda: projection_paths(b"\x82\x01" + data),
        lambda: read_attributes(data, FACTS),
        lambda: read_compound_key(b"\xbf" + data),
        lambda: read_key(Schema("h", "N", "r", "N"), data),
        lambda: read_key(Schema("h", "S", "r", "B"), data),
    ):
        with contextlib.suppress(DynamoError, IncompleteError, MalformedError, UnknownFactError):
            read()
