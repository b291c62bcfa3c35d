"""Answers and faults as bytes."""

from zlib import crc32

import msgspec
import pytest

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.wire.answers import encode, encode_error


class Answer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    items: list[msgspec.Raw]
    count: int = 0
    consumed_capacity: str | None = None


# Stored items are answered as they lie on the disk, white space and all.
def test_items_are_spliced_and_absent_members_are_not_sent():
    answer = Answer([msgspec.Raw(b'{"a": {"S":"\xc3\xa9"}}')], count=1)
    assert encode(answer) == b'{"Items":[{"a": {"S":"\xc3\xa9"}}],"Count":1}'


def test_a_fault_without_text():
    assert (
        encode_error(DynamoError(Fault.SERIALIZATION))
        == b'{"__type":"com.amazon.coral.service#SerializationException"}'
    )


# SDKs read the text by the exact case of its member.
def test_each_fault_has_its_text_member():
    assert (
        encode_error(invalid("no"))
        == b'{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}'
    )
    assert (
        encode_error(DynamoError(Fault.SERIALIZATION, "no"))
        == b'{"__type":"com.amazon.coral.service#SerializationException","Message":"no"}'
    )


# The numbers are the checksums that the service sends with these two bodies: ours are the same.
@pytest.mark.parametrize(
    ("fault", "number"), [(Fault.SERIALIZATION, 3948637019), (Fault.UNKNOWN_OPERATION, 1368724161)]
)
def test_bodies_are_the_bytes_of_the_service(fault, number):
    assert crc32(encode_error(DynamoError(fault))) == number
