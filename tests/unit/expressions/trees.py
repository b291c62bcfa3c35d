"""Trees to draw, and their texts."""

from hypothesis import strategies as st

from hashrange.expressions.syntax import (
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Constant,
    Delete,
    In,
    Not,
    Or,
    Path,
    Remove,
    Set,
)

CONSTANTS = 6
"""How many constants a tree may use."""
NAMES = ("a", "b", "c", "and_", "x9")

COMPARATORS = ["=", "<>", "<", "<=", ">", ">="]
_elements = st.one_of(st.sampled_from(NAMES), st.integers(0, 3))
paths = st.builds(
    lambda name, below: Path((name, *below)),
    st.sampled_from(NAMES),
    st.one_of(st.just([]), st.lists(_elements, max_size=3)),
)
constants = st.integers(0, CONSTANTS - 1).map(Constant)


def _calls(operands, names):
    return st.builds(
        Call, st.sampled_from(names), st.lists(operands, min_size=1, max_size=3).map(tuple)
    )


def operands(functions):
    """Operands with functions of these names, of any number of operands."""
    return st.recursive(
        st.one_of(paths, constants), lambda inner: _calls(inner, functions), max_leaves=4
    )


_condition_operands = operands(["size", "contains", "f"])


def combined(leaves, max_leaves=8):
    """Conditions made of `leaves`."""

    def more(inner):
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(st.builds(Not, inner), st.builds(And, several), st.builds(Or, several))

    return st.recursive(leaves, more, max_leaves=max_leaves)


any_conditions = combined(
    st.one_of(
        st.builds(
            Comparison, st.sampled_from(COMPARATORS), _condition_operands, _condition_operands
        ),
        st.builds(Between, _condition_operands, _condition_operands, _condition_operands),
        st.builds(
            In,
            _condition_operands,
            st.lists(_condition_operands, min_size=1, max_size=3).map(tuple),
        ),
        _calls(_condition_operands, ["contains", "f"]),
    )
)
"""Whatever the grammar can say, sense or nonsense."""

_update_operands = operands(["if_not_exists", "list_append", "f"])
any_actions = st.one_of(
    st.builds(Set, paths, _update_operands),
    st.builds(
        Set, paths, st.builds(Arithmetic, st.sampled_from("+-"), _update_operands, _update_operands)
    ),
    st.builds(Remove, paths),
    st.builds(Add, paths, constants),
    st.builds(Delete, paths, constants),
)


class Printer:
    """Writes trees as text; `draw` decides about spaces, cases, parentheses and placeholders."""

    def __init__(self, draw):
        self._draw = draw
        self.names = {f"#{name}": name for name in NAMES}
        self.values = [f":{position}" for position in range(CONSTANTS)]

    def _may(self):
        return self._draw(st.booleans())

    def _space(self):
        return self._draw(st.sampled_from([" ", " ", "\t", " \r\n "]))

    def _word(self, word):
        return self._space() + (word.lower() if self._may() else word) + self._space()

    def path(self, path):
        """A path, each name as it is or as a placeholder."""
        text = ""
        for element in path.elements:
            if isinstance(element, int):
                text += f"[{element}]"
            else:
                dot = "." if text else ""
                text += dot + (f"#{element}" if self._may() else element)
        return text

    def operand(self, operand):
        """An operand, perhaps in parentheses."""
        text = self.bare(operand)
        return f"({text})" if self._may() else text

    def bare(self, operand):
        """An operand without parentheses around it."""
        match operand:
            case Path():
                return self.path(operand)
            case Constant(position):
                return self.values[position]
            case Call(function, inner):
                return f"{function}({', '.join(map(self.operand, inner))})"

    def condition(self, tree):
        """A condition, perhaps in parentheses."""
        text = self._condition(tree)
        return f"({text})" if self._may() else text

    def _condition(self, tree):
        match tree:
            case Not(inner):
                return self._word("NOT") + self._group(inner, And | Or)
            case And(parts):
                return self._word("AND").join(self._group(part, And | Or) for part in parts)
            case Or(parts):
                return self._word("OR").join(self._group(part, Or) for part in parts)
            case _:
                return self._leaf(tree)

    def _leaf(self, tree):
        match tree:
            case Comparison(comparator, left, right):
                return f"{self.operand(left)}{self._space()}{comparator} {self.operand(right)}"
            case Between(operand, lower, upper):
                bounds = self.operand(lower) + self._word("AND") + self.operand(upper)
                return self.operand(operand) + self._word("BETWEEN") + bounds
            case In(operand, members):
                listed = ",".join(map(self.operand, members))
                return f"{self.operand(operand)}{self._word('IN')}({listed})"
            case Call():
                return self.bare(tree)

    def _group(self, tree, needs_parentheses):
        if isinstance(tree, needs_parentheses):
            return f"({self._condition(tree)})"
        return self.condition(tree)

    def update(self, actions):
        """An update; actions of one kind that follow each other share a section."""
        text = ""
        section = None
        for action in actions:
            if type(action) is section:
                text += ","
            else:
                section = type(action)
                text += self._word(section.__name__.upper())
            text += self._action(action)
        return text

    def _action(self, action):
        target = self.path(action.target)
        match action:
            case Set(_, Arithmetic(operator, left, right)):
                value = f"{self.operand(left)} {operator} {self.operand(right)}"
                return f"{target} = " + (f"({value})" if self._may() else value)
            case Set(_, operand):
                return f"{target} = {self.operand(operand)}"
            case Remove():
                return target
            case Add(_, operand) | Delete(_, operand):
                return f"{target} {self.bare(operand)}"
