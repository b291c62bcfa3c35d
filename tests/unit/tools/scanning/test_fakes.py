"""Fakes by value: shapes that stay, and permutations that never join two values."""

import base64
import re
from datetime import date, datetime

from hypothesis import given
from hypothesis import strategies as st

from hashrange.tools.scanning.fakes import Fakes
from tests.rows import rows

FAKES = Fakes(b"a key")

numbers = st.decimals(allow_nan=False, allow_infinity=False, places=3).map(
    lambda number: f"{number:f}".rstrip("0").rstrip(".")
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.from_regex(r"[a-z]{1,3}@[a-z]{1,3}\.[a-z]{2}", fullmatch=True),
    st.dates().map(date.isoformat),
    st.datetimes().map(lambda moment: f"{moment.isoformat(timespec='milliseconds')}Z"),
    st.uuids().map(str),
)


@rows(
    "text, shape",
    [
        ("Alice Smith", r"[AEIOU][bcdfghj-np-tv-z][aeiou][bcdfghj-np-tv-z][aeiou] [^aeiou].+"),
        ("+46 70-123 45 67", r"\+\d\d \d\d-\d{3} \d\d \d\d"),
        ("a.b+c@mail.test", r"[aeiou]\.[a-z]\+[a-z]@[a-z]{4}\.[a-z]{4}\.example\.com"),
        (
            "550e8400-e29b-41d4-a716-446655440000",
            r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}",
        ),
        ("李小龙", r"[\u4e00-\u9fff]{3}"),
        ("Åsa", r"[À-Þ][a-z][aeiou]"),
        ("", r""),
    ],
)
def test_text_keeps_its_shape(text, shape):
    made = FAKES.scalar("S", text)
    assert re.fullmatch(shape, made), made
    assert made != text or not text


@rows(
    "number, shape",
    [
        ("0", r"0"),
        ("7", r"[1-9]"),
        ("-42.5", r"-[1-9]\d\.[1-9]"),
        ("1200", r"[1-9][1-9]00"),
        ("0.05", r"0\.0[1-9]"),
        ("9" * 38, r"[1-9]\d{36}[1-9]"),
    ],
)
def test_number_keeps_its_shape(number, shape):
    assert re.fullmatch(shape, FAKES.scalar("N", number))


def test_dates_stay_dates():
    for text in ("1980-02-29", "2026-11-27T10:20:30.125Z", "1850-01-01", "2026-11-27 10:20:30"):
        made = datetime.fromisoformat(FAKES.scalar("S", text))
        assert len(FAKES.scalar("S", text)) == len(text)
        assert (1900 <= made.year < 2100) == (1900 <= int(text[:4]) < 2100)
    assert not FAKES.scalar("S", "2026-11-27 called Bob").endswith("called Bob")


@given(st.lists(texts, unique=True, max_size=8))
def test_different_texts_stay_different(drawn):
    made = [FAKES.scalar("S", text) for text in drawn]
    assert len(set(made)) == len(drawn)
    assert made == [Fakes(b"a key").scalar("S", text) for text in drawn]


# Whole shapes, so that a join of two values would be seen.
def test_small_shapes_are_permuted():
    for kind, shape in (
        ("S", [f"{n:03}" for n in range(1000)]),
        ("N", [str(n) for n in range(-99, 100)]),
        ("S", [f"2026-{month:02}-{day:02}" for month in range(20) for day in range(40)]),
        ("B", [base64.b64encode(bytes([n])).decode() for n in range(256)]),
    ):
        made = {FAKES.scalar(kind, each) for each in shape}
        assert len(made) == len(shape)


@given(st.lists(numbers, unique=True, max_size=8))
def test_different_numbers_stay_different(drawn):
    assert len({FAKES.scalar("N", number) for number in drawn}) == len(drawn)


@given(st.lists(st.binary(max_size=50), unique=True, max_size=6))
def test_different_bytes_stay_different(drawn):
    texts = [base64.b64encode(each).decode() for each in drawn]
    made = [base64.b64decode(FAKES.scalar("B", text)) for text in texts]
    assert len(set(made)) == len(drawn)
    assert [*map(len, made)] == [*map(len, drawn)]
