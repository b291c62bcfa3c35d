"""Names in the order of a HashSet of Java."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.values import in_hash_order
from tests.rows import rows


# The first two as the service printed them; the others as Java's documentation of hashCode has it.
@rows(
    ("names", "expected"),
    [
        (["b", "a"], ["a", "b"]),
        (["zz", "aa", "mm"], ["zz", "aa", "mm"]),
        (["Aa", "BB", "Aa"], ["Aa", "BB"]),
        (["BB", "Aa"], ["BB", "Aa"]),
        (["q", "p", ""], ["p", "", "q"]),
        # Twelve names have sixteen buckets, thirteen have thirty-two.
        ([*"ponmlkjihgfe"], ["p", *"efghijklmno"]),
        ([*"ponmlkjihgfed"], [*"defghijklmnop"]),
        (["\N{GRINNING FACE}", "a"], ["a", "\N{GRINNING FACE}"]),
    ],
)
def test_order(names, expected):
    assert in_hash_order(names) == expected


@given(st.lists(st.text(max_size=3), max_size=40))
def test_each_name_is_there_once(names):
    assert sorted(in_hash_order(names)) == sorted(set(names))
