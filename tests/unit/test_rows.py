"""A table in one test looks at each row, and says which one failed."""

import pytest

from tests.rows import rows

seen = []


@rows("number", [1, 2])
@rows(("letter", "word"), [("a", "one"), ("b", "two")])
def test_each_row_is_looked_at_with_fixtures(tmp_path, number, letter, word):
    assert tmp_path.is_dir()
    seen.append((number, letter, word))
    if len(seen) == 4:
        assert {each[:2] for each in seen} == {(1, "a"), (1, "b"), (2, "a"), (2, "b")}


def test_the_row_that_fails_is_named():
    @rows("number", [1, 2, 3])
    def small(number):
        assert number < 2

    with pytest.raises(AssertionError) as failed:
        small()
    assert failed.value.__notes__ == ["row: {'number': 2}"]


def test_a_table_without_rows_is_refused():
    with pytest.raises(AssertionError, match="has rows"):
        rows("number", [])
