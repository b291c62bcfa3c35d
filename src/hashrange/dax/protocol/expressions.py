"""Expressions: the trees of the protocol, written as texts of the API with placeholders.

Clients parse expressions and send trees, in which names and values stand in the places of their
placeholders. A tree becomes a text again, so that one implementation checks and caches expressions,
whichever protocol they came by. Names are always placeholders: reserved words cannot be recognized.
"""

from typing import Any, Final

from hashrange.dax.protocol.values import read_value
from hashrange.errors import invalid
from hashrange.expressions.functions import FUNCTIONS
from hashrange.limits.dax import DAX_EXPRESSION_LEVELS_MAX
from hashrange.messages.dax import expression_unreadable
from hashrange.wire.cbor.reader import (
    ARRAY,
    INDEFINITE,
    IncompleteError,
    MalformedError,
    Tagged,
    is_break,
    read_head,
    read_item,
)

_VERSION: Final = 1
_LIST_INDEX: Final = 3324
_COMPARISONS: Final = {0: "=", 1: "<>", 2: "<", 3: ">=", 4: ">", 5: "<="}
_AND, _OR, _NOT, _BETWEEN, _IN = 6, 7, 8, 9, 10
_VARIABLE, _PATH = 17, 18
_FUNCTIONS: Final = {each.dax: each for each in FUNCTIONS.values() if each.name.isidentifier()}
_SUMS: Final = {each.dax: each.name for each in FUNCTIONS.values() if each.dax not in _FUNCTIONS}
_CLAUSES: Final = {19: "SET", 20: "ADD", 21: "DELETE", 22: "REMOVE"}
_TIGHTNESS: Final = {_OR: 1, _AND: 2, _NOT: 3}
"""How tightly operators bind; conditions without operators bind most."""
_MOST: Final = 4


class Placeholders:
    """The placeholders of one request, for all of its expressions.

    Attributes:
        names: attribute names by placeholder.
        values: attribute values by placeholder; only those that are used.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self._by_name: dict[str, str] = {}

    def name(self, name: str) -> str:
        """The placeholder of a name."""
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = f"#{len(self.names)}"
            self.names[found] = name
        return found

    def value(self, value: dict[str, Any]) -> str:
        """A new placeholder of a value."""
        made = f":{len(self.values)}"
        self.values[made] = value
        return made


def condition_text(data: bytes, placeholders: Placeholders) -> str:
    """The text of a condition, a key condition or a filter. Raises DynamoError."""
    tree, values = _read(data)
    return _Writer(values, placeholders).condition(tree)


def update_text(data: bytes, placeholders: Placeholders) -> str:
    """The text of an update. Raises DynamoError."""
    tree, values = _read(data)
    return _Writer(values, placeholders).update(tree)


def projection_paths(data: bytes) -> list[list[str | int]]:
    """The paths of a projection: names, and indexes of lists. Raises DynamoError."""
    tree, _ = _read(data)
    if not isinstance(tree, list):
        raise invalid(expression_unreadable())
    return [_elements(path) for path in tree]


def path_text(path: list[str | int], placeholders: Placeholders) -> str:
    """The text of a document path."""
    parts: list[str] = []
    for element in path:
        if isinstance(element, int):
            parts.append(f"[{element}]")
        else:
            parts.append(f".{placeholders.name(element)}" if parts else placeholders.name(element))
    return "".join(parts)


def _read(data: bytes) -> tuple[Any, list[dict[str, Any]]]:
    """The tree and the values of an expression."""
    try:
        major, parts, at = read_head(data, 0)
        version, at = read_item(data, at, 0)
        if major != ARRAY or parts not in {2, 3, INDEFINITE} or version != _VERSION:
            raise invalid(expression_unreadable())
        tree, at = read_item(data, at, DAX_EXPRESSION_LEVELS_MAX)
        values: list[dict[str, Any]] = []
        has_values = not is_break(data, at) if parts == INDEFINITE else parts == 3  # noqa: PLR2004
        if has_values:
            major, count, at = read_head(data, at)
            if major != ARRAY:
                raise invalid(expression_unreadable())
            while len(values) != count and not (count == INDEFINITE and is_break(data, at)):
                value, at = read_value(data, at)
                values.append(value)
    except (IncompleteError, MalformedError) as error:
        raise invalid(expression_unreadable()) from error
    return tree, values


def _elements(path: Any) -> list[str | int]:
    found: list[str | int] = []
    match path:
        case [18, str(), *_]:
            for element in path[1:]:
                if isinstance(element, str):
                    found.append(element)
                elif isinstance(element, Tagged) and element.number == _LIST_INDEX:
                    found.append(_index(element.item))
                else:
                    raise invalid(expression_unreadable())
            return found
        case _:
            raise invalid(expression_unreadable())


def _operator(tree: Any) -> int:
    """The number of the operator of a tree; -1 if it has none."""
    operator = tree[0] if isinstance(tree, list) and tree else None
    return operator if isinstance(operator, int) else -1


def _index(index: Any) -> int:
    if type(index) is not int or index < 0:
        raise invalid(expression_unreadable())
    return index


class _Writer:
    """Writes the trees of one expression, whose values it has."""

    def __init__(self, values: list[dict[str, Any]], placeholders: Placeholders) -> None:
        self._values = values
        self._placeholders = placeholders
        self._used: dict[int, str] = {}

    def condition(self, tree: Any) -> str:
        """A condition, with the parentheses that it needs."""
        operator = _operator(tree)
        match tree:
            case [6 | 7, _, _]:
                return self._chain(tree)
            case [8, operand]:
                return f"NOT {self._within(operand, _MOST)}"
            case [9, operand, low, high]:
                return (
                    f"{self.operand(operand)} BETWEEN {self.operand(low)} AND {self.operand(high)}"
                )
            case [10, operand, [*members]]:
                return f"{self.operand(operand)} IN ({', '.join(map(self.operand, members))})"
            case [_, left, right] if operator in _COMPARISONS:
                return f"{self.operand(left)} {_COMPARISONS[operator]} {self.operand(right)}"
        return self._call(tree)

    def _chain(self, tree: list[Any]) -> str:
        """Conditions that one operator connects; chains to the left may be long."""
        operator, parts = tree[0], []
        node: Any = tree
        while isinstance(node, list) and len(node) == 3 and node[0] == operator:  # noqa: PLR2004
            parts.append(self._within(node[2], _TIGHTNESS[operator]))
            node = node[1]
        parts.append(self._within(node, _TIGHTNESS[operator]))
        return (" AND " if operator == _AND else " OR ").join(reversed(parts))

    def _within(self, tree: Any, tightness: int) -> str:
        """A condition as an operand of an operator that binds as tightly as that."""
        text = self.condition(tree)
        return text if _TIGHTNESS.get(_operator(tree), _MOST) >= tightness else f"({text})"

    def operand(self, tree: Any) -> str:
        """A value, a path, a function, or a sum."""
        match tree:
            case [17, int() as index]:
                return self._variable(index)
            case [18, *_]:
                return path_text(_elements(tree), self._placeholders)
            case [_, left, right] if (operator := _operator(tree)) in _SUMS:
                return f"{self.operand(left)} {_SUMS[operator]} {self._summand(right)}"
            case _:
                return self._call(tree)

    def _summand(self, tree: Any) -> str:
        text = self.operand(tree)
        return f"({text})" if _operator(tree) in _SUMS else text

    def _variable(self, index: int) -> str:
        found = self._used.get(index)
        if found is None:
            if not 0 <= index < len(self._values):
                raise invalid(expression_unreadable())
            found = self._used[index] = self._placeholders.value(self._values[index])
        return found

    def _call(self, tree: Any) -> str:
        match tree:
            case [int() as number, *operands] if number in _FUNCTIONS:
                function = _FUNCTIONS[number]
                if len(operands) == function.operands:
                    return f"{function.name}({', '.join(map(self.operand, operands))})"
            case _:
                pass
        raise invalid(expression_unreadable())

    def update(self, tree: Any) -> str:
        """An update: each clause once, its actions in their order."""
        clauses: dict[str, list[str]] = {}
        if not isinstance(tree, list):
            raise invalid(expression_unreadable())
        for action in tree:
            match action:
                case [19, path, value]:
                    text = f"{self.operand(path)} = {self.operand(value)}"
                case [20 | 21, path, value]:
                    text = f"{self.operand(path)} {self.operand(value)}"
                case [22, path]:
                    text = self.operand(path)
                case _:
                    raise invalid(expression_unreadable())
            clauses.setdefault(_CLAUSES[action[0]], []).append(text)
        return " ".join(f"{clause} {', '.join(texts)}" for clause, texts in clauses.items())
