"""Names of streams, shards and records, and iterators: what clients keep, sort and send back."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.model.log import Shard
from hashrange.model.table_features import label_of
from hashrange.tables.streams.iterators import (
    ShardIterator,
    check_age,
    iterator_from,
    iterator_text,
)
from hashrange.tables.streams.names import (
    Position,
    event_id,
    number_of_shard,
    parent_id_of,
    position_of,
    sequence_number,
    shard_id_of,
)
from tests.unit.tables.definitions import NOON_MS, definition

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/a-table/stream/2026-01-01T12:00:00.000"
LOGS, RECORDS = st.integers(1, 2**32 - 1), st.integers(0, 10**15 - 1)


def test_label():
    assert label_of(NOON_MS) == "2026-01-01T12:00:00.000"
    assert label_of(NOON_MS + 7) == "2026-01-01T12:00:00.007"
    assert label_of(NOON_MS - 1) == "2026-01-01T11:59:59.999"


def test_shard_id():
    shard = Shard(number=2748, opened_ms=NOON_MS, parent=15, parent_opened_ms=NOON_MS - 1)
    assert shard_id_of(shard) == f"shardId-0000000{NOON_MS}-00000abc"
    assert parent_id_of(shard) == f"shardId-0000000{NOON_MS - 1}-0000000f"
    assert parent_id_of(Shard(number=1, opened_ms=NOON_MS)) is None
    assert number_of_shard(shard_id_of(shard)) == 2748


@pytest.mark.parametrize("text", ["", "shardId", "shardId-1-1", "x" * 28, "\u0661" * 37])
def test_no_shard_id(text):
    assert number_of_shard(text) is None


@given(LOGS, RECORDS, LOGS, RECORDS)
def test_sequence_numbers(log, record, other_log, other_record):
    number, other = sequence_number(log, record), sequence_number(other_log, other_record)
    assert 21 <= len(number) <= 40
    assert position_of(number) == position_of(number.zfill(40)) == Position(log, record)
    # As text and as numbers: both are compared somewhere.
    expected = (log, record) < (other_log, other_record)
    assert (number < other) == (int(number) < int(other)) == expected


@given(st.text())
def test_any_text_may_be_a_sequence_number(text):
    position = position_of(text)
    assert position is None or position.log >= 0


def test_event_ids_differ_between_tables():
    number = sequence_number(1, 1)
    one, other = definition(), definition(id="5be1c7f0-0000-4000-8000-000000000002")
    assert event_id(one, number) == event_id(one, number) != event_id(other, number)
    assert len(event_id(one, number)) == 32


@given(LOGS, st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_iterators_are_read_back(log, record, created_ms):
    iterator = ShardIterator(ARN, log, record, created_ms)
    assert iterator_from(iterator_text(iterator)) == iterator


def refused(text):
    with pytest.raises(DynamoError) as error:
        iterator_from(text)
    return error.value.fault is Fault.VALIDATION and error.value.message == "Invalid ShardIterator"


@given(st.text() | st.binary().map(lambda raw: f"{ARN}|1|{base64.b64encode(raw).decode()}"))
def test_any_text_may_be_an_iterator(text):
    assert refused(text)


# One letter wrong, and it is another place, or of another stream.
@given(st.data())
def test_changed_iterators_are_refused(data):
    text = iterator_text(ShardIterator(ARN, 1, 5, NOON_MS))
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.characters().filter(lambda letter: letter != text[place]))
    changed = text[:place] + letter + text[place + 1 :]
    try:
        assert iterator_from(changed) == iterator_from(text)
    except DynamoError:
        assert refused(changed)


def test_age():
    iterator = ShardIterator(ARN, 1, 5, NOON_MS)
    check_age(iterator, NOON_MS + 900_000)
    check_age(iterator, NOON_MS - 1)
    with pytest.raises(DynamoError) as error:
        check_age(iterator, NOON_MS + 900_001)
    assert error.value.fault is Fault.EXPIRED_ITERATOR
