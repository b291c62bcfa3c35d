import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.model.binary import binary_bytes, decoded
from tests.rows import rows
from tests.unit.model.strategies import base64, data

LENGTH = "Base64 encoded length is expected a multiple of 4 bytes but found: "
LAST = "Invalid last non-pad Base64 character dectected"
ALPHABET = "Unexpected value type in payload"


@given(data)
def test_bytes_come_back(raw):
    assert decoded(base64(raw)) == raw
    assert binary_bytes(base64(raw)) == len(raw)


@rows(
    ("text", "message"),
    [
        ("23456", LENGTH + "5"),  # measured by users, as the next two
        ("=+/=", LAST),
        ("+/+=", LAST),
        ("A", LENGTH + "1"),
        ("AAAA=", LENGTH + "5"),
        ("AAAA==", LENGTH + "6"),
        ("ab!", LENGTH + "3"),  # the length is looked at first
        ("A===", LAST),
        ("====", LAST),
        ("AB==", LAST),
        ("AA==AAAA", LAST),
        ("A=A=", LAST),
        ("AAAA====", LAST),
        ("AAA=AAA=", LAST),
        ("ab!d", ALPHABET),
        ("ab-_", ALPHABET),
        ("AA\n==AA", LENGTH + "7"),
        ("AA\r\n", ALPHABET),
        ("éééé", ALPHABET),
        ("A\x00A=", ALPHABET),
    ],
)
def test_only_strict_base64_is_read(text, message):
    with pytest.raises(DynamoError) as caught:
        decoded(text)
    assert caught.value.fault is Fault.SERIALIZATION
    assert caught.value.message == message


# Equality of binary values is that of their texts, so no two texts may mean the same bytes.
@given(st.text("AQgwBE+/=04", max_size=9))
def test_a_text_is_read_only_if_it_is_what_its_bytes_are_written_as(text):
    strict = re.fullmatch(
        "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?", text
    )
    try:
        assert base64(decoded(text)) == text
    except DynamoError:
        assert not strict
    else:
        assert strict
