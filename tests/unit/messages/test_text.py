"""Texts of errors as rows: templates and their values."""

import pytest

from hashrange.messages.text import Text


@pytest.mark.parametrize(
    ("template", "values", "named", "text"),
    [
        ("as it is", (), {}, "as it is"),
        # A text without placeholders is no template.
        ("{} and {{a}", (), {}, "{} and {{a}"),
        ("{a} of {b}", (1, "x"), {}, "1 of x"),
        ("{b} of {a}", (1, "x"), {}, "1 of x"),
        ("{a}, {b}, {a}", ("x",), {"b": 2}, "x, 2, x"),
        ("{{{a}}}", ("x",), {}, "{x}"),
        ("[{names}]", (["a", "b"],), {}, "[a, b]"),
        ("[{names}]", ({"b": 1, "c": 2},), {}, "[b, c]"),
        ("[{names}]", ((),), {}, "[]"),
        # A value is no template.
        ("<{a}>", ("{b}",), {}, "<{b}>"),
    ],
)
def test_a_text_with_its_values(template, values, named, text):
    assert Text(template)(*values, **named) == text


@pytest.mark.parametrize(
    ("values", "named"), [(("x",), {}), ((), {"a": 1, "b": 2, "c": 3}), ((), {"a": 1, "c": 3})]
)
def test_a_value_for_each_placeholder(values, named):
    with pytest.raises(AssertionError, match="values of"):
        Text("{a} {b}")(*values, **named)
