"""Text into statements and commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.cli.prompt.statements import (
    STATEMENT_CHARS_MAX,
    StatementBuffer,
    StatementTooLongError,
    is_blank,
)
from tests.rows import rows


def split(text):
    buffer = StatementBuffer()
    return buffer.add(text), buffer.rest


@rows(
    ("text", "statements", "rest"),
    [
        ("", [], ""),
        ("SELECT 1;", ["SELECT 1"], ""),
        ("a; b ;c", ["a", "b"], "c"),
        ("a\nb;\nc;\n", ["a\nb", "c"], "\n"),
        (";;\n ;", [], ""),
        ("x = 'a;b';", ["x = 'a;b'"], ""),
        ("x = 'it''s;';", ["x = 'it''s;'"], ""),
        ('SELECT * FROM "a;b";', ['SELECT * FROM "a;b"'], ""),
        ("x = 'a;", [], "x = 'a;"),
        ("-- no; statement\na;", ["-- no; statement\na"], ""),
        ("/* a; */ b;", ["/* a; */ b"], ""),
        ("/* a; ", [], "/* a; "),
        ("a - 1 / 2;", ["a - 1 / 2"], ""),
        ("\\d\n", ["\\d"], ""),
        ("a;\n\\d Music\nb;", ["a", "\\d Music", "b"], ""),
        ("a\n\\d\n", [], "a\n\\d\n"),
        ("exit\n", ["\\q"], ""),
        ("QUIT;\n", ["\\q"], ""),
        ("help ;\n", ["\\?"], ""),
        ("a\nexit\n", [], "a\nexit\n"),
        ("exit 1;", ["exit 1"], ""),
    ],
)
def test_statements(text, statements, rest):
    assert split(text) == (statements, rest)


def test_lines_are_collected():
    buffer = StatementBuffer()
    assert buffer.add("SELECT *\n") == []
    assert buffer.add("FROM 'a;\n") == []
    assert buffer.add("b';\n") == ["SELECT *\nFROM 'a;\nb'"]
    assert buffer.take_rest() == []


def test_last_statement_needs_no_semicolon():
    buffer = StatementBuffer()
    assert buffer.add("a; b -- the end\n") == ["a"]
    assert buffer.take_rest() == ["b -- the end"]
    assert buffer.take_rest() == []


def test_text_without_an_end_is_dropped():
    buffer = StatementBuffer()
    with pytest.raises(StatementTooLongError, match="65,536 characters without a semicolon"):
        buffer.add("x" * (STATEMENT_CHARS_MAX + 1))
    assert buffer.rest == ""


PIECES = st.sampled_from(["a", " ", "\n", ";", "'", "''", '"', "--", "/*", "*/", "-", "/", "\\d"])


# How the text is cut into pieces does not matter, as long as lines stay whole.
@given(st.lists(PIECES, max_size=30).map("".join))
def test_lines_and_whole_texts_give_the_same(text):
    lines = StatementBuffer()
    found = [statement for line in text.splitlines(keepends=True) for statement in lines.add(line)]
    assert (found, lines.rest) == split(text)


@given(st.lists(st.text(alphabet="abc '", max_size=8), max_size=6))
def test_strings_hide_semicolons(texts):
    quoted = ["'{}'".format(text.replace("'", "''") + ";") for text in texts]
    assert split("".join(f"{text};" for text in quoted)) == (quoted, "")


@pytest.mark.parametrize("text", ["", " \n", "-- a", "/* a */ -- b\n"])
def test_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "-- a\nb", "/* a", "-"])
def test_not_blank(text):
    assert not is_blank(text)
