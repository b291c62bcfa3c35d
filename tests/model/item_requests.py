"""Requests on items to draw: as data that the model understands, and as an SDK sends them."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.model.item_model import Path, Plain, to_wire

# Few of each, so that histories meet: the same keys, the same attributes, equal values.
SORTS = ["a", "b"]
texts = st.sampled_from(["", "a", "ab", "é😀", "x" * 1500])
numbers = st.sampled_from(["0", "1", "-1", "2.5", "-12", "100", "1234"]).map(Decimal)
binaries = st.sampled_from([b"", b"a", b"\x00\xff"])
sets = st.one_of(
    st.frozensets(texts, min_size=1, max_size=3),
    st.frozensets(numbers, min_size=1, max_size=3),
    st.frozensets(binaries, min_size=1, max_size=2),
)
ordered_values = st.one_of(texts, numbers, binaries)
scalars = st.one_of(ordered_values, st.booleans(), st.none())
lists = st.lists(st.one_of(scalars, sets), max_size=4)
maps = st.dictionaries(st.sampled_from(["x", "y"]), st.one_of(scalars, sets, lists), max_size=2)
values = st.one_of(scalars, sets, lists, maps, numbers, numbers)

ROOTS = ["a", "b", "c"]
PATHS: list[Path] = [(root,) for root in ROOTS]
PATHS += [("m", "x"), ("m", "y"), ("l", 0), ("l", 1), ("l", 5)]
"""None overlaps with another, so an update may have any of them as targets."""
paths = st.sampled_from([*PATHS, ("m",), ("l",), ("a", "x"), ("b", 0), ("gone",), ("pk",)])

# What most updates can be applied to, and what they cannot.
_usual = st.fixed_dictionaries(
    {"a": numbers, "b": sets, "m": maps, "l": lists}, optional={"c": values}
)
attributes = st.one_of(
    _usual, st.fixed_dictionaries({}, optional=dict.fromkeys([*ROOTS, "m", "l"], values))
)

_comparisons = st.one_of(
    st.tuples(st.sampled_from(["=", "<>"]), paths, values),
    st.tuples(st.sampled_from(["<", "<=", ">", ">="]), paths, ordered_values),
    st.tuples(
        st.just("size"), st.sampled_from(["=", "<", ">="]), paths, st.integers(0, 4).map(Decimal)
    ),
)
_between = st.builds(
    lambda path, bounds: ("between", path, *bounds),
    paths,
    st.one_of(
        st.tuples(numbers, numbers).map(sorted),
        st.tuples(texts, texts).map(lambda pair: sorted(pair, key=str.encode)),
    ),
)
_leaves = st.one_of(
    _comparisons,
    _between,
    st.tuples(st.sampled_from(["exists", "missing"]), paths),
    st.tuples(st.just("type"), paths, st.sampled_from(["S", "N", "SS", "L", "M", "BOOL", "NULL"])),
    st.tuples(st.just("in"), paths, st.lists(values, min_size=1, max_size=3).map(tuple)),
    st.tuples(st.just("begins"), paths, texts),
    st.tuples(st.just("contains"), paths, st.one_of(texts, numbers)),
)
conditions = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["and", "or"]), inner, inner), st.tuples(st.just("not"), inner)
    ),
    max_leaves=4,
)

_operands = st.one_of(
    st.tuples(st.just("value"), values),
    st.tuples(st.just("if_not_exists"), paths, values),
    st.one_of(
        st.tuples(st.just("path"), paths),
        st.tuples(st.sampled_from(["+", "-"]), st.sampled_from([("a",), ("m", "x")]), numbers),
        st.tuples(st.just("list_append"), st.sampled_from([("l",), ("m", "y")]), lists),
    ),
)
_FITTING = {("a",): numbers, ("b",): sets}
"""What ADD can mostly add there."""


def _actions(targets: list[Path]) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    return st.tuples(*map(_action, targets)).map(list)


def _action(path: Path) -> st.SearchStrategy[tuple[Any, ...]]:
    target = st.just(path)
    return st.one_of(
        st.tuples(st.just("SET"), target, _operands),
        st.tuples(st.just("REMOVE"), target),
        st.tuples(st.just("ADD"), target, _FITTING.get(path, st.one_of(numbers, sets))),
        st.tuples(st.just("DELETE"), target, sets),
    )


updates = st.lists(st.sampled_from(PATHS), max_size=3, unique=True).flatmap(_actions)

_options = {
    "sort": st.sampled_from(SORTS),
    "condition": st.one_of(st.none(), conditions),
    "failure": st.sampled_from(["NONE", "ALL_OLD"]),
}
_puts = st.fixed_dictionaries(
    {"kind": st.just("put"), "item": attributes, **_options}
    | {"wanted": st.sampled_from(["NONE", "ALL_OLD"])}
)
_updates = st.fixed_dictionaries(
    {"kind": st.just("update"), "actions": updates, **_options}
    | {"wanted": st.sampled_from(["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])}
)
_deletes = st.fixed_dictionaries(
    {"kind": st.just("delete"), **_options} | {"wanted": st.sampled_from(["NONE", "ALL_OLD"])}
)
_gets = st.fixed_dictionaries(
    {
        "kind": st.just("get"),
        "sort": st.sampled_from(SORTS),
        "projection": st.lists(st.sampled_from(PATHS), max_size=4, unique=True),
        "consistent": st.booleans(),
    }
)
# By weight, which one_of does not know: it takes equal strategies for one.
_requests = st.sampled_from([_puts] * 2 + [_updates] * 7 + [_deletes, _gets]).flatmap(lambda s: s)
_first = st.fixed_dictionaries(
    {
        "kind": st.just("put"),
        "item": _usual,
        "sort": st.sampled_from(SORTS),
        "condition": st.none(),
        "failure": st.just("NONE"),
        "wanted": st.just("NONE"),
    }
)
histories = st.builds(
    lambda first, later: [*first, *later],
    st.lists(_first, max_size=2),
    st.lists(_requests, min_size=12, max_size=30),
)
"""Mostly of items that are there."""


class Placeholders:
    """The values of one request, each under a placeholder of its own."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def add(self, value: Plain) -> str:
        """The placeholder of a value."""
        name = f":v{len(self.values)}"
        self.values[name] = to_wire(value)
        return name


def path_text(path: Path) -> str:
    """A path as expressions have it."""
    first, *rest = path
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest]
    return first + "".join(steps)


def condition_text(condition: tuple[Any, ...], used: Placeholders) -> str:
    """A condition as an expression."""
    name, *rest = condition
    if name == "not":
        return f"NOT ({condition_text(rest[0], used)})"
    if name in {"and", "or"}:
        return f" {name} ".join(f"({condition_text(inner, used)})" for inner in rest)
    if name == "size":
        comparator, path, number = rest
        return f"size({path_text(path)}) {comparator} {used.add(number)}"
    path, *operands = rest
    if name == "in":
        operands = list(operands[0])
    added = [used.add(operand) for operand in operands]
    return _FORMS.get(name, "{0} " + name + " {1}").format(
        path_text(path), *added, all=", ".join(added)
    )


_FORMS = {
    "exists": "attribute_exists({0})",
    "missing": "attribute_not_exists({0})",
    "type": "attribute_type({0}, {1})",
    "in": "{0} IN ({all})",
    "between": "{0} BETWEEN {1} AND {2}",
    "begins": "begins_with({0}, {1})",
    "contains": "contains({0}, {1})",
}


def update_text(actions: list[tuple[Any, ...]], used: Placeholders) -> str:
    """An update as an expression, its sections in the order in which they are first met."""
    sections: dict[str, list[str]] = {}
    for action in actions:
        sections.setdefault(action[0], []).append(_clause(action, used))
    return " ".join(f"{section} {', '.join(clauses)}" for section, clauses in sections.items())


def _clause(action: tuple[Any, ...], used: Placeholders) -> str:
    match action:
        case ("REMOVE", path):
            return path_text(path)
        case ("SET", path, operand):
            return f"{path_text(path)} = {_operand_text(operand, used)}"
        case (_, path, value):
            return f"{path_text(path)} {used.add(value)}"
    raise AssertionError(action)


def _operand_text(operand: tuple[Any, ...], used: Placeholders) -> str:
    match operand:
        case ("value", value):
            return used.add(value)
        case ("path", path):
            return path_text(path)
        case ("+" | "-" as sign, path, number):
            return f"{path_text(path)} {sign} {used.add(number)}"
        case (function, path, value):
            return f"{function}({path_text(path)}, {used.add(value)})"
    raise AssertionError(operand)
