"""Words that are proposed."""

import pytest

from hashrange.cli.prompt.completion import COMMANDS, KEYWORDS, KnownNames, candidates, identifier
from tests.rows import rows

KNOWN = KnownNames(
    indexes={"Music": ["by-year", "ByLabel"], "movies.old": []},
    attributes=dict.fromkeys(["Artist", "song-title", "size", "set"]),
)


@rows(
    ("before", "start", "words"),
    [
        ("SEL", 0, ["SELECT"]),
        ("SELECT * FROM ", 14, ['"Music"', '"movies.old"']),
        ("select * from m", 14, ['"Music"', '"movies.old"']),
        ('INSERT INTO "mu', 12, ['"Music"']),
        ("UPDATE mo", 7, ['"movies.old"']),
        ('SELECT * FROM "Music".', 22, ['"by-year"', '"ByLabel"']),
        ('SELECT * FROM "Music"."by-', 22, ['"by-year"']),
        ("SELECT * FROM Music.by-", 20, ['"by-year"']),
        ("WHERE Art", 6, ["Artist"]),
        ("WHERE so", 6, ['"song-title"']),
        ("\\", 0, list(COMMANDS)),
        ("\\d ", 3, ["Music", "movies.old"]),
        ("\\d mov", 3, ["movies.old"]),
        ("\\o ", 3, []),
    ],
)
def test_candidates(before, start, words):
    assert candidates(before, KNOWN) == (start, words)


def test_after_a_space_all_is_possible():
    start, words = candidates("SELECT ", KNOWN)
    assert (start, words[:2]) == (7, ["Artist", '"song-title"'])
    assert set(KEYWORDS) < set(words)


@pytest.mark.parametrize(
    ("name", "written"), [("a_1", "a_1"), ("1a", '"1a"'), ("set", '"set"'), ('a"b', '"a""b"')]
)
def test_identifiers(name, written):
    assert identifier(name) == written


def test_attributes_are_limited():
    known = KnownNames()
    known.add_attributes(str(number) for number in range(2_000))
    assert len(known.attributes) == 1_000
