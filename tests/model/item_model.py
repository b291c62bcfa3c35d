"""Items as plain Python: the obvious table, with which a server is compared.

A value is a str, Decimal, bytes, bool, None, frozenset (of one kind), list or dict; GONE stands for
what is missing. Nothing here is shared with the program.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from math import ceil
from typing import Any

GONE = type("Gone", (), {"__repr__": lambda _: "GONE"})()

INVALID_PATH = "The document path provided in the update expression is invalid for update"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"

Path = tuple[Any, ...]
Plain = Any
Item = dict[str, Plain]


class RefusedError(Exception):
    """An update cannot be applied; carries the texts, of which any may be told."""


_KINDS = {
    str: "S",
    Decimal: "N",
    bytes: "B",
    bool: "BOOL",
    type(None): "NULL",
    list: "L",
    dict: "M",
}


def kind_of(value: Plain) -> str:
    """The type's name in the API."""
    if isinstance(value, frozenset):
        return kind_of(next(iter(value))) + "S"
    return _KINDS[type(value)]


def to_wire(value: Plain) -> dict[str, Any]:
    """The value as an SDK sends it."""
    match kind := kind_of(value):
        case "NULL":
            content: Any = True
        case "N":
            content = format(value, "f")
        case "NS":
            content = [format(member, "f") for member in sorted(value)]
        case "SS" | "BS":
            content = sorted(value)
        case "L":
            content = [to_wire(element) for element in value]
        case "M":
            content = {name: to_wire(member) for name, member in value.items()}
        case _:
            content = value
    return {kind: content}


def from_wire(value: dict[str, Any]) -> Plain:
    """The value that an SDK was answered."""
    ((kind, content),) = value.items()
    match kind:
        case "NULL":
            content = None
        case "N":
            content = Decimal(content)
        case "SS" | "BS":
            content = frozenset(content)
        case "NS":
            content = frozenset(map(Decimal, content))
        case "L":
            content = [from_wire(element) for element in content]
        case "M":
            content = {name: from_wire(member) for name, member in content.items()}
    return content


def same(one: Plain, other: Plain) -> bool:
    """Equality of values; Python's own takes True for 1."""
    if one is GONE or other is GONE or kind_of(one) != kind_of(other):
        return False
    match one:
        case list():
            return len(one) == len(other) and all(map(same, one, other))
        case dict():
            return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
        case _:
            return one == other


def size_of(value: Plain) -> int:
    """Bytes in DynamoDB's accounting. Source: Developer Guide, "Item sizes and formats"."""
    match value:
        case str():
            size = len(value.encode())
        case bytes():
            size = len(value)
        case Decimal():
            size = _number_size(value)
        case frozenset():
            size = sum(map(size_of, value))
        case list():
            size = 3 + sum(1 + size_of(element) for element in value)
        case dict():
            size = 3 + sum(1 + len(name.encode()) + size_of(each) for name, each in value.items())
        case _:
            size = 1
    return size


def _number_size(number: Decimal) -> int:
    whole, _, fraction = format(abs(number.normalize()), "f").partition(".")
    if not fraction:
        whole = whole.rstrip("0")
    halves = ceil(len(whole.lstrip("0")) / 2) + ceil(len(fraction.rstrip("0")) / 2)
    return 1 + halves + (number < 0)


def item_size(item: Item | None) -> int:
    """Bytes of an item; of none 0."""
    return sum(len(name.encode()) + size_of(value) for name, value in (item or {}).items())


def at(item: Item, path: Path) -> Plain:
    """What a document path leads to."""
    value: Plain = item
    for element in path:
        if isinstance(element, str):
            value = value.get(element, GONE) if isinstance(value, dict) else GONE
        else:
            there = isinstance(value, list) and element < len(value)
            value = value[element] if there else GONE
    return value


def holds(condition: tuple[Any, ...], item: Item) -> bool:
    """Whether a condition of `item_requests` holds of an item, an empty one if it is missing."""
    name, *rest = condition
    if name in _JUNCTIONS:
        return _JUNCTIONS[name]([holds(inner, item) for inner in rest])
    if name == "size":
        comparator, path, number = rest
        value = at(item, path)
        sized = isinstance(value, str | bytes | frozenset | list | dict)
        return compared(comparator, Decimal(_length(value)) if sized else GONE, number)
    path, *operands = rest
    value = at(item, path)
    return _TESTS[name](value, *operands) if name in _TESTS else compared(name, value, *operands)


def _length(value: Plain) -> int:
    return len(value.encode("utf-16-le")) // 2 if isinstance(value, str) else len(value)


def compared(comparator: str, one: Plain, other: Plain) -> bool:
    """One comparison; only strings, numbers and binary have an order, each of its own."""
    if comparator == "=":
        return same(one, other)
    if comparator == "<>":
        return not same(one, other)
    if one is GONE or other is GONE or kind_of(one) != kind_of(other):
        return False
    if not isinstance(one, str | Decimal | bytes):
        return False
    if isinstance(one, str):
        one, other = one.encode(), other.encode()
    answers = {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}
    return answers[comparator]


def _contains(value: Plain, part: Plain) -> bool:
    match value:
        case str():
            return isinstance(part, str) and part in value
        case frozenset() | list():
            return any(same(member, part) for member in value)
        case _:
            return False


_JUNCTIONS = {"and": all, "or": any, "not": lambda inner: not inner[0]}
_TESTS = {
    "exists": lambda value: value is not GONE,
    "missing": lambda value: value is GONE,
    "type": lambda value, kind: value is not GONE and kind_of(value) == kind,
    "in": lambda value, members: any(same(value, member) for member in members),
    "between": lambda value, low, high: compared(">=", value, low) and compared("<=", value, high),
    "begins": lambda value, prefix: isinstance(value, str) and value.startswith(prefix),
    "contains": _contains,
}


def updated(item: Item, actions: list[tuple[Any, ...]]) -> Item:
    """The item after an update; every operand is read from the item before.

    Raises RefusedError.
    """
    faults: list[str] = []
    results: list[tuple[Path, Plain]] = []
    for action in actions:
        with _noting(faults):
            results.append((action[1], _result(action, item)))
    after = dict(item)
    for root in dict.fromkeys(action[1][0] for action in actions):
        ours = [(path[1:], result) for path, result in results if path[0] == root]
        with _noting(faults):
            after[root] = _changed(item.get(root, GONE), ours) if ours else GONE
    if faults:
        raise RefusedError(*faults)
    return {name: value for name, value in after.items() if value is not GONE}


@contextmanager
def _noting(faults: list[str]) -> Iterator[None]:
    try:
        yield
    except RefusedError as error:
        faults.extend(error.args)


def _changed(container: Plain, changes: list[tuple[Path, Plain]]) -> Plain:
    """An attribute as written, or within; one step deep is all that is drawn."""
    if not changes[0][0]:
        return changes[0][1]
    of_list = isinstance(changes[0][0][0], int)
    if not isinstance(container, list if of_list else dict):
        raise RefusedError(INVALID_PATH)
    wanted = {path[0]: result for path, result in changes}
    if not of_list:
        merged = {**container, **wanted}
        return {name: value for name, value in merged.items() if value is not GONE}
    placed = [wanted.get(index, value) for index, value in enumerate(container)]
    placed += [wanted[index] for index in sorted(wanted) if index >= len(container)]
    return [value for value in placed if value is not GONE]


def _result(action: tuple[Any, ...], item: Item) -> Plain:
    match action:
        case ("REMOVE", _):
            return GONE
        case ("SET", _, operand):
            return _operand(operand, item)
        case ("ADD", path, value):
            old = at(item, path)
            if old is GONE:
                return value
            if kind_of(old) != kind_of(value):
                raise RefusedError(WRONG_TYPE)
            return old + value if isinstance(value, Decimal) else old | value
        case ("DELETE", path, value):
            old = at(item, path)
            if old is GONE:
                return GONE
            if kind_of(old) != kind_of(value):
                raise RefusedError(WRONG_TYPE)
            return (old - value) or GONE
    raise AssertionError(action)


def _operand(operand: tuple[Any, ...], item: Item) -> Plain:
    match operand:
        case ("value", value):
            return value
        case ("path", path):
            value = at(item, path)
            if value is GONE:
                raise RefusedError(MISSING)
            return value
        case ("if_not_exists", path, value):
            old = at(item, path)
            return value if old is GONE else old
        case ("+" | "-" as sign, path, number):
            value = _operand(("path", path), item)
            if not isinstance(value, Decimal):
                raise RefusedError(WRONG_TYPE)
            return value + number if sign == "+" else value - number
        case ("list_append", path, elements):
            value = _operand(("path", path), item)
            if not isinstance(value, list):
                raise RefusedError(WRONG_TYPE)
            return value + elements
    raise AssertionError(operand)


def fragments(item: Item, paths: list[Path]) -> Item:
    """What paths lead to, in containers made anew: UPDATED_OLD, UPDATED_NEW, projections."""
    shown: Item = {}
    for path in sorted(paths, key=lambda path: [str(element).zfill(12) for element in path]):
        value = at(item, path)
        if value is GONE:
            continue
        match path:
            case (root,):
                shown[root] = value
            case (root, str(name)):
                shown.setdefault(root, {})[name] = value
            case (root, _):
                shown.setdefault(root, []).append(value)
    return shown
