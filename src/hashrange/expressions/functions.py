"""The functions of expressions, a row each: operands, checks, predicates, codes in other languages.

`size` has a value, the other functions of conditions are conditions by themselves. Values of
functions of updates, among them the sums, are computed by `computations`, that of `size` by
`readers`.

Source: Developer Guide, "Condition and filter expressions" and "Update expressions"; checks from
tests of public emulators that were run against the service.
"""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from hashrange.expressions.comparisons import (
    Predicate,
    begins_with,
    contains,
    exists,
    missing,
    of_type,
)
from hashrange.expressions.operands import Constants, Facts, ValueCheck, check_path, refused
from hashrange.expressions.syntax import Call, Constant
from hashrange.messages import expressions as messages
from hashrange.model.data_types import DATA_TYPES

_PREFIX_KINDS: Final = frozenset({"S", "B"})
_SIZED_KINDS: Final = frozenset(code for code, kind in DATA_TYPES.items() if kind.has_size)
_LIST_KIND: Final = frozenset({"L"})
_NUMBER_KIND: Final = frozenset({"N"})
_KIND_OF_A_PATH: Final = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
"""The type that the service prints for a path where only a constant is allowed: every type."""


class Function(msgspec.Struct, frozen=True):
    """A function of expressions.

    Attributes:
        name: as it is written, in PartiQL too.
        dax: its code in the expressions of DAX.
        check: raises DynamoError: an operand of a type, or a value, that it does not take.
        test: compiles its predicate; None for functions that have a value.
        clause_bytes: of a function of updates its share of the size of a clause (`clause_costs`).
        is_completed: completion of statements in the shell and the console proposes it.
        operands: their number.
    """

    name: str
    dax: int
    check: Callable[[Call, Facts], None]
    test: Predicate | None = None
    clause_bytes: int = 0
    is_completed: bool = False
    operands: int = 2


def _takes_all(_call: Call, _facts: Facts) -> None:
    pass


def _takes_path(call: Call, facts: Facts) -> None:
    check_path(call.operands[0], call.function, facts)


def _takes(kinds: frozenset[str]) -> Callable[[Call, Facts], None]:
    return lambda call, facts: facts.check_kinds(call.operands, call.function, kinds)


def _takes_type_name(call: Call, facts: Facts) -> None:
    operand = call.operands[1]
    kind = facts.kind(operand)
    if kind != "S" or not isinstance(operand, Constant):
        raise facts.refusal(messages.operand_type(call.function, kind or _KIND_OF_A_PATH))
    facts.check_value(_type_name_check(facts.label, operand.position))


def _type_name_check(label: str, position: int) -> ValueCheck:
    text = messages.type_name_unknown if label else messages.type_name_unknown_in_statement

    def check(constants: Constants) -> None:
        name = constants[position]["S"]
        if name not in DATA_TYPES:
            raise refused(label, text(name))

    return check


_ROWS: Final = (
    Function("attribute_exists", 11, _takes_path, exists, operands=1),
    Function("attribute_not_exists", 12, _takes_path, missing, operands=1),
    Function("attribute_type", 13, _takes_type_name, of_type, is_completed=True),
    Function("begins_with", 14, _takes(_PREFIX_KINDS), begins_with, is_completed=True),
    Function("contains", 15, _takes_all, contains, is_completed=True),
    Function("size", 16, _takes(_SIZED_KINDS), is_completed=True, operands=1),
    Function("if_not_exists", 23, _takes_path, clause_bytes=39),
    Function("list_append", 24, _takes(_LIST_KIND), clause_bytes=37, is_completed=True),
    Function("+", 25, _takes(_NUMBER_KIND), clause_bytes=34),
    Function("-", 26, _takes(_NUMBER_KIND), clause_bytes=37),
)
FUNCTIONS: Final[Mapping[str, Function]] = {each.name: each for each in _ROWS}
"""By name."""
UPDATE_FUNCTIONS: Final[Mapping[str, Function]] = {
    each.name: each for each in _ROWS if each.clause_bytes
}
CONDITION_FUNCTIONS: Final[Mapping[str, Function]] = {
    each.name: each for each in _ROWS if not each.clause_bytes
}
TESTS: Final = {each.name: each.test for each in _ROWS if each.test is not None}
"""The predicates of the functions that are conditions by themselves."""
