"""No text overflows the stack, takes long, or fails in any other way than by a refusal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.expressions import program
from hashrange.expressions.program import Sources, bind
from hashrange.limits.requests import EXPRESSION_BYTES_MAX
from hashrange.model.wording import Wording
from tests.pace import costs_at_most
from tests.unit.caches import forget

# A refusal or a compilation of 4 KB costs some milliseconds, a fraction of a loop; what grows with
# the square of its length costs hundreds of loops.
LOOPS_MAX = 50

PARAMETERS = ["condition", "filter", "key_condition", "update", "projection"]
NAMES = {"#a": "a", "#b": "a.b"}
VALUES = {
    ":s": {"S": "x"},
    ":n": {"N": "1"},
    ":b": {"B": "YQ=="},
    ":ss": {"SS": ["a"]},
    ":l": {"L": [{"M": {"a": {"NULL": True}}}]},
}
ITEM = {
    "a": {"M": {"b": {"L": [{"N": "1"}]}}},
    "b": {"S": "x"},
    "c": {"SS": ["a"]},
    "n": {"N": "1"},
}

TOKENS = [
    *"()[].,=<>+-#:!\"' \t\n_0",
    "<>",
    "<=",
    ">=",
    " AND ",
    " or ",
    "NOT ",
    " BETWEEN ",
    " IN ",
    "SET ",
    "remove ",
    "ADD ",
    "DELETE ",
    "a",
    "b",
    "c",
    "n",
    "name",
    "#a",
    "#b",
    "#c",
    ":s",
    ":n",
    ":b",
    ":ss",
    ":l",
    ":x",
    "0",
    "1",
    "99999999999",
    "a.b[0]",
    "size(",
    "contains(",
    "begins_with(",
    "attribute_exists(",
    "attribute_type(",
    "if_not_exists(",
    "list_append(",
    "a = b",
    "a = :n",
    "\x00",
    "é",
    "\U0001f600",
]


def _refusal(call):
    """The refusal that a call ends in, if it does; nothing else may come out of it."""
    try:
        call()
    except DynamoError as refused:
        return refused
    return None


def _try(parameter, text, names=NAMES, values=VALUES):
    """Bind it, and use what was bound."""
    forget(program)
    sources = Sources(**{parameter: text})
    with costs_at_most(LOOPS_MAX):
        refused = _refusal(lambda: _use(bind(sources, names, values, wording=Wording.CURRENT)))
    assert refused is None or (refused.fault is Fault.VALIDATION and refused.message)


def _use(bound):
    for condition in bound.condition, bound.filter:
        if condition is not None:
            assert isinstance(condition.holds(ITEM), bool)
            assert isinstance(condition.holds({}), bool)
    update = bound.update
    if update is not None:
        assert update.shape.cost(update.constants) > 0
        refused = _refusal(lambda: update.fragments(update.apply(ITEM)))
        assert refused is None or refused.bare
    if bound.projection is not None:
        bound.projection.apply(ITEM)


@given(st.sampled_from(PARAMETERS), st.text(max_size=60))
def test_any_text(parameter, text):
    _try(parameter, text)
    _try(parameter, text, None, None)


# Few placeholders are left unused by these, and many more of them are right.
@given(st.sampled_from(PARAMETERS), st.lists(st.sampled_from(TOKENS), max_size=30).map("".join))
def test_any_tokens(parameter, text):
    values = {key: value for key, value in VALUES.items() if key in text}
    names = {key: name for key, name in NAMES.items() if key in text}
    _try(parameter, text, names or None, values or None)


def _filled(head, part, tail):
    """As many parts as fit, between head and tail; a part is one text or one for each side."""
    left, right = part if isinstance(part, tuple) else (part, "")
    count = (EXPRESSION_BYTES_MAX - len(head) - len(tail)) // (len(left) + len(right))
    return head + left * count + tail + right * count


LONG = {
    "open parentheses": ("", "(", ""),
    "closed parentheses": ("", ")", ""),
    "parentheses": ("", ("(", ")"), "a = b"),
    "operand parentheses": ("a = ", ("(", ")"), "b"),
    "sums in parentheses": ("SET a = ", ("(", ")"), "b + c"),
    "nots": ("", "NOT ", "a = b"),
    "nots in parentheses": ("", ("(NOT ", ")"), "a = b"),
    "ands": ("a=b", " AND a=b", ""),
    "ors": ("a=b", " OR a=b", ""),
    "ands in parentheses": ("", ("a=b AND(", ")"), "a=b"),
    "open ands": ("", "(a=b AND ", ""),
    "functions": ("a = ", ("size(", ")"), "b"),
    "unknown functions": ("", ("f(", ")"), "a"),
    "open functions": ("a = ", "f(", ""),
    "members": ("a IN (b", ",b", ")"),
    "arguments": ("f(b", ",b", ")"),
    "a long path": ("", "a.", "a = b"),
    "a deep list": ("a", "[0]", " = b"),
    "a long index": ("a[", "9", "] = b"),
    "a long name": ("", "a", " = b"),
    "a long placeholder": ("#", "a", " = b"),
    "a long value": ("a = :", "a", ""),
    "spaces": ("a =", " ", "b"),
    "open quotes": ("a = ", "'\"", ""),
    "dots": ("a", ".", ""),
    "unknown characters": ("", "!", ""),
    "nested defaults": ("SET a = ", ("if_not_exists(b,", ")"), ":s"),
    "assignments": ("SET a=:s", ",a=:s", ""),
    "different assignments": None,
    "paths": ("REMOVE a.a", ",a.a", ""),
    "sections": ("", "REMOVE a ", ""),
    "projected paths": ("a", ",a", ""),
    "different paths": None,
}


def _texts(name):
    if LONG[name] is not None:
        return _filled(*LONG[name])
    paths = [f"a.b{number}[{number}]" for number in range(400)]
    if name == "different paths":
        return ",".join(paths)[:EXPRESSION_BYTES_MAX].rpartition(",")[0]
    return "SET " + ",".join(f"{path}=:s" for path in paths)[:4000].rpartition(",")[0]


# The longest that a request may carry, in every parameter.
@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("parameter", PARAMETERS)
def test_long_texts(parameter, name):
    text = _texts(name)
    assert EXPRESSION_BYTES_MAX - 200 < len(text) <= EXPRESSION_BYTES_MAX
    _try(parameter, text, None, {":s": {"S": "x"}} if ":s" in text else None)
    _try(parameter, text)


@pytest.mark.parametrize(
    ("parameter", "name", "part"),
    [
        ("condition", "open parentheses", 'token: "<EOF>", near: "("'),
        ("condition", "closed parentheses", 'token: ")", near: "))"'),
        ("condition", "parentheses", "redundant parentheses"),
        ("condition", "operand parentheses", "redundant parentheses"),
        ("update", "sums in parentheses", "redundant parentheses"),
        ("condition", "nots", "too many operators; operator count: 301"),
        ("condition", "nots in parentheses", "too many operators; operator count: 301"),
        ("condition", "ands", "too many operators; operator count: 301"),
        ("condition", "ors", "too many operators; operator count: 301"),
        ("condition", "ands in parentheses", "too many operators; operator count: 301"),
        ("condition", "functions", "too many operators; operator count: 301"),
        ("condition", "unknown functions", "Invalid function name; function: f"),
        ("condition", "members", "IN operator is provided with too many operands; "),
        ("condition", "a long path", "too many nesting levels; nesting levels: "),
        ("condition", "a deep list", "too many nesting levels; nesting levels: "),
        ("condition", "a long index", "not within the allowable range"),
        ("update", "assignments", "overlap"),
        ("update", "sections", '"REMOVE" section can only be used once'),
    ],
)
def test_long_texts_are_refused_for_what_they_are(parameter, name, part):
    text = _texts(name)
    values = {":s": {"S": "x"}} if ":s" in text else None
    with pytest.raises(DynamoError) as caught:
        bind(Sources(**{parameter: text}), None, values, wording=Wording.CURRENT)
    assert part in caught.value.message


@given(
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    st.dictionaries(
        st.text(max_size=5),
        st.dictionaries(st.sampled_from(["S", "N"]), st.text(max_size=5), max_size=2),
        max_size=3,
    ),
)
def test_any_placeholders(names, values):
    _try("condition", "#a = :s", names, values)
