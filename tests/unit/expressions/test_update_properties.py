"""Compiled updates and projections against the plain evaluator."""

from copy import deepcopy

from hypothesis import event, given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.expressions.program import update_of
from hashrange.expressions.projections import projection
from hashrange.expressions.syntax import Add, Arithmetic, Call, Constant, Delete, Path, Remove, Set
from hashrange.model.canonical import canonical_item, canonical_value
from hashrange.model.wording import Wording
from tests.unit.expressions.documents import items, numbers, sets, values
from tests.unit.expressions.evaluator import RefusedError, projected, updated
from tests.unit.expressions.requests import bound
from tests.unit.expressions.trees import Printer, paths

# By position: a number, a list, a set, a value of any type.
_constants = st.tuples(
    numbers, st.lists(values, max_size=3).map(lambda elements: {"L": elements}), sets, values
).map(lambda drawn: [canonical_value(value, Wording.CURRENT) for value in drawn])

_numbers = st.one_of(
    paths,
    st.just(Constant(0)),
    st.builds(lambda path: Call("if_not_exists", (path, Constant(0))), paths),
)
_lists = st.one_of(
    paths,
    st.just(Constant(1)),
    st.builds(lambda path: Call("if_not_exists", (path, Constant(1))), paths),
)
_written = st.one_of(
    st.just(Constant(3)),
    paths,
    st.builds(Arithmetic, st.sampled_from("+-"), _numbers, _numbers),
    st.builds(lambda one, two: Call("list_append", (one, two)), _lists, _lists),
    st.builds(lambda path, other: Call("if_not_exists", (path, other)), paths, _numbers),
)
_actions = st.one_of(
    st.builds(Set, paths, _written),
    st.builds(Set, paths, st.just(Constant(3))),
    st.builds(Remove, paths),
    st.builds(Add, paths, st.sampled_from([Constant(0), Constant(2)])),
    st.builds(Delete, paths, st.just(Constant(2))),
)


def _compatible(one, two):
    """Whether two paths neither overlap nor conflict."""
    for first, second in zip(one, two, strict=False):
        if first != second:
            return type(first) is type(second)
    return False


def _kept(drawn, path_of):
    kept = []
    for one in drawn:
        if all(_compatible(path_of(one).elements, path_of(other).elements) for other in kept):
            kept.append(one)
    return kept


_updates = st.lists(_actions, min_size=1, max_size=6).map(
    lambda drawn: _kept(drawn, lambda action: action.target)
)


def _expected(actions, item, constants):
    """The item as updated, or the text of the refusal."""
    try:
        return updated(actions, item, constants)
    except RefusedError as refused:
        return str(refused)


def _outcome(update, item):
    """The same of a compiled update."""
    try:
        return update.apply(item)
    except DynamoError as error:
        return error.message


@given(_updates, items, _constants)
def test_updates_do_what_they_say(actions, item, constants):
    before = deepcopy(item)
    update = update_of(actions, constants)
    after = _outcome(update, item)
    event(after if isinstance(after, str) else "applied")
    assert after == _expected(actions, item, constants)
    assert item == before
    if isinstance(after, dict):
        assert canonical_item(after, Wording.CURRENT).item == after
        targets = [action.target for action in actions]
        assert update.fragments(after) == projected(targets, after)
        assert update.fragments(item) == projected(targets, item)


_elements = st.integers(0, 7).map(lambda index: Path(("a", index)))
_members = st.sampled_from([("b", "a"), ("b", "c"), ("b", "b", 0), ("b", "b", 5)]).map(Path)
_places = st.one_of(_elements, _elements, _elements, _members)
_edits = st.one_of(
    st.builds(Set, _places, st.sampled_from([Constant(0), Constant(1), Path(("a", 0))])),
    st.builds(Remove, _places),
    st.builds(Add, _places, st.just(Constant(0))),
    st.builds(Delete, _places, st.just(Constant(2))),
)


# Many changes of one list at once: indexes are those of the old one.
@given(
    st.lists(_edits, min_size=2, max_size=8),
    st.lists(st.sampled_from([{"N": "1"}, {"SS": ["a"]}, {"S": "x"}]), max_size=5),
)
def test_lists_change_at_once(drawn, elements):
    actions = _kept(drawn, lambda action: action.target)
    item = {"a": {"L": elements}, "b": {"M": {"b": {"L": [*elements]}, "c": {"N": "1"}}}}
    constants = [{"N": "7"}, {"L": []}, {"SS": ["a", "b"]}]
    assert _outcome(update_of(actions, constants), item) == _expected(actions, item, constants)


@given(_updates, items, _constants, st.data())
def test_written_updates_are_the_same(actions, item, constants, data):
    printer = Printer(data.draw)
    # One section of each kind, as the grammar wants it.
    ordered = sorted(actions, key=lambda action: type(action).__name__)
    text = printer.update(ordered)
    used = {f":{at}": value for at, value in enumerate(constants) if f":{at}" in text} or None
    names = {key: name for key, name in printer.names.items() if _names(text, key)} or None
    written = bound(names, used, update=text).update
    direct = update_of(ordered, constants)
    assert written.targets == direct.targets
    assert written.only_removes == direct.only_removes
    assert _outcome(written, item) == _outcome(direct, item)


def _names(text, placeholder):
    return any(
        text[at + len(placeholder) : at + len(placeholder) + 1] not in _WORD
        for at in range(len(text))
        if text.startswith(placeholder, at)
    )


_WORD = set("abcdefghijklmnopqrstuvwxyz0123456789_")


@given(st.lists(paths, min_size=1, max_size=6), items)
def test_projections_take_what_they_name(drawn, item):
    kept = _kept(drawn, lambda path: path)
    compiled = projection(kept)
    assert compiled.apply(item) == projected(kept, item)
    assert compiled.names == tuple(dict.fromkeys(path.elements[0] for path in kept))
    assert all(isinstance(path, Path) for path in kept)
