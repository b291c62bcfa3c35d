"""Compiled conditions against the plain evaluator."""

from hypothesis import event, given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.expressions.program import condition_of
from hashrange.expressions.syntax import Between, Call, Comparison, Constant, In
from tests.unit.expressions.documents import binaries, items, strings, values
from tests.unit.expressions.evaluator import holds
from tests.unit.expressions.requests import bound
from tests.unit.expressions.trees import COMPARATORS, NAMES, Printer, combined, paths

_KINDS = ["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"]

# By position: the name of a type, a string, a number, a binary, two of any type.
_constants = st.tuples(
    st.sampled_from(_KINDS).map(lambda kind: {"S": kind}),
    strings,
    st.sampled_from(["0", "1", "2", "-1", "0.5"]).map(lambda number: {"N": number}),
    binaries,
    values,
    values,
)
_sizes = st.builds(lambda path: Call("size", (path,)), paths)
_read = st.one_of(paths, paths, _sizes)
_ordered = st.one_of(_read, st.sampled_from([Constant(1), Constant(2), Constant(3)]))
_any = st.one_of(_read, st.sampled_from([Constant(position) for position in range(6)]))
_prefixes = st.one_of(paths, st.sampled_from([Constant(1), Constant(3)]))
_leaves = st.one_of(
    st.builds(Comparison, st.sampled_from(COMPARATORS), _ordered, _ordered),
    st.builds(Comparison, st.sampled_from(["=", "<>"]), _any, _any),
    st.builds(Between, _ordered, _ordered, _ordered),
    st.builds(In, _any, st.lists(_any, min_size=1, max_size=3).map(tuple)),
    st.builds(lambda path: Call("attribute_exists", (path,)), paths),
    st.builds(lambda path: Call("attribute_not_exists", (path,)), paths),
    st.builds(lambda one, two: Call("begins_with", (one, two)), _prefixes, _prefixes),
    st.builds(lambda one, two: Call("contains", (one, two)), _any, _any),
    st.builds(lambda operand: Call("attribute_type", (operand, Constant(0))), _any),
)


@given(combined(_leaves), items, _constants)
def test_compiled_conditions_hold_as_they_read(tree, item, constants):
    expected = holds(tree, item, constants)
    event(f"holds: {expected}")
    assert condition_of(tree, constants).holds(item) is expected


# The whole way, as far as the checks let it go; what they refuse has its own tests.
@given(combined(_leaves, max_leaves=3), items, _constants, st.data())
def test_conditions_hold_as_they_are_written(tree, item, constants, data):
    text = Printer(data.draw).condition(tree)
    names = {f"#{name}": name for name in NAMES}
    placed = {f":{position}": value for position, value in enumerate(constants)}
    used = {key: value for key, value in placed.items() if key in text} or None
    words = set(text.replace("#", " #").replace(".", " ").replace("[", " ").split())
    words |= {word.strip("(),") for word in words}
    aliases = {key: name for key, name in names.items() if key in words} or None
    try:
        condition = bound(aliases, used, filter=text).filter
    except DynamoError as refused:
        event(refused.message.split(";")[0][:60])
        return
    assert condition.holds(item) is holds(tree, item, constants)
