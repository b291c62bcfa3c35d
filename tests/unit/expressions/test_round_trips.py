"""Whatever a tree says, its text says too: trees are printed and parsed again."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.expressions.condition_grammar import condition
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.placeholders import Scope
from hashrange.expressions.tokens import Cursor
from hashrange.expressions.update_grammar import projection, update
from tests.unit.expressions.trees import Printer, any_actions, any_conditions, paths


def _reader(text, printer):
    return Reader(Cursor(text, "X"), Scope(printer.names, printer.values))


@given(any_conditions, st.data())
def test_conditions(tree, data):
    printer = Printer(data.draw)
    text = printer.condition(tree)
    assert condition(_reader(text, printer)).tree == tree


@given(st.lists(any_actions, min_size=1, max_size=6), st.data())
def test_updates(actions, data):
    printer = Printer(data.draw)
    text = printer.update(actions)
    assert update(_reader(text, printer)).actions == tuple(actions)


@given(st.lists(paths, min_size=1, max_size=6), st.data())
def test_projections(drawn, data):
    printer = Printer(data.draw)
    text = " ,".join(map(printer.path, drawn))
    assert projection(_reader(text, printer)) == drawn
