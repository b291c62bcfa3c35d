"""Caches statements by their text: prepared once for the types of their parameters, then fitted."""

from collections.abc import Hashable, Sequence
from typing import Any, Final, Literal

import msgspec

from hashrange.api.steps.accesses import Access, Resource, on_table
from hashrange.api.steps.constraints import item_table
from hashrange.api.steps.operation import CallerContext, Outcome, items_not_found
from hashrange.bounded_cache import BoundedCache
from hashrange.capacity.units import Charge
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.partiql.prepared import Prepared, prepared
from hashrange.expressions.partiql.templates import Template, outline_of, pieces_of, template_of
from hashrange.expressions.program import Constants
from hashrange.limits.requests import STATEMENT_CHARS_MAX, STATEMENTS_CHARS_MAX, STATEMENTS_MAX
from hashrange.model.canonical import canonical_value, plain_chars
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording
from hashrange.tables.opened.open_table import OpenTable
from hashrange.wire import enums
from hashrange.wire.constraints import length, one_of, required

STATEMENT_ROWS: Final = (
    required("statement"),
    length("statement", 1, STATEMENT_CHARS_MAX),
    length("parameters", 1, None),
    one_of(
        "return_values_on_condition_check_failure", enums.RETURN_VALUES_ON_CONDITION_CHECK_FAILURE
    ),
)
"""Constraints of the model on each statement of a batch and of a transaction."""


class StatementOptions(msgspec.Struct, frozen=True):
    """The options of a request that shape its statement.

    Attributes:
        consistent: ConsistentRead.
        capacity: ReturnConsumedCapacity.
        return_old: ReturnValuesOnConditionCheckFailure is ALL_OLD.
        use: in a batch and in a transaction a SELECT names one item by its key.
    """

    consistent: bool = False
    capacity: str | None = None
    return_old: bool = False
    use: Literal["alone", "batch", "transaction"] = "alone"


class Page(msgspec.Struct, frozen=True):
    """Limit and NextToken of a request; `text` is its statement."""

    limit: int | None = None
    next_token: str | None = None
    text: str = ""


class StatementPlan(msgspec.Struct, frozen=True):
    """A statement, ready to run."""

    def charges(self) -> Sequence[Charge]:
        """The least units, an entry for each partition."""
        raise NotImplementedError

    def spot(self) -> Charge | None:
        """The only charge, if the statement is a plan of one item: see `Operation.spot`."""
        return None

    def is_eventual(self) -> bool:
        """Whether it reads eventually consistently."""
        return False

    async def run(self, context: CallerContext) -> Outcome:
        """Read or write; returns the answer of ExecuteStatement."""
        raise NotImplementedError


class StatementShape:
    """The facts of a statement for parameters of certain types and certain options.

    Attributes:
        options: the options of the request.
        prepared: the statement.
        table_names: the name of its table.
        fitted: the result of `fitting` for the table that it was last used on. Servers in one
            process share it: it is replaced as a whole.
    """

    __slots__ = ("fitted", "options", "prepared", "table_names")

    def __init__(self, options: StatementOptions, statement: Prepared) -> None:
        self.options = options
        self.prepared = statement
        self.table_names = (statement.table,)
        self.fitted: tuple[OpenTable, Any] | None = None


class Member(msgspec.Struct, frozen=True):
    """A statement that passed all checks that need no table."""

    shape: StatementShape
    constants: Constants


_IAM_ACTIONS: Final = {
    "SELECT": "PartiQLSelect",
    "EXISTS": "PartiQLSelect",
    "INSERT": "PartiQLInsert",
    "UPDATE": "PartiQLUpdate",
    "DELETE": "PartiQLDelete",
}

_shapes: Final = BoundedCache[Hashable, StatementShape](
    entries_max=STATEMENTS_MAX,
    chars_max=STATEMENTS_CHARS_MAX,
    entry_chars_max=STATEMENT_CHARS_MAX,
)
_templates: Final = BoundedCache[Hashable, tuple[Template, StatementShape]](
    entries_max=STATEMENTS_MAX,
    chars_max=STATEMENTS_CHARS_MAX,
    entry_chars_max=STATEMENT_CHARS_MAX,
)
_IS_TEXT: Final = frozenset({("S",)})


def shape_of(
    text: str,
    parameters: Sequence[AttributeValue] | None,
    canonical: Constants,
    options: StatementOptions,
) -> tuple[StatementShape, Constants]:
    """A statement, and its constants.

    Args:
        text: the statement.
        parameters: as sent.
        canonical: the same, as `canonical_parameters` gives them.
        options: the options of the request.

    Raises:
        DynamoError: ValidationException, the first fault of the statement.
    """
    kinds = (options, *map(tuple, parameters or ()))
    found = _shapes.get((text, *kinds))
    if found is not None:
        return found, found.prepared.constants(canonical)
    pieces = pieces_of(text)
    outline = (*outline_of(pieces), *kinds)
    template = _templates.get(outline)
    if template is not None:
        filled = _filled(template, pieces, canonical)
        if filled is not None:
            return filled
    statement = prepared(text, canonical)
    item_table(statement.table)
    new = template_of(statement, pieces, len(canonical))
    if new is None:
        found = StatementShape(options, statement)
        _shapes.keep((text, *kinds), found, len(text))
    else:
        found = StatementShape(options, statement)
        _templates.keep(outline, (new, StatementShape(options, new.statement)), len(text))
    return found, statement.constants(canonical)


def _filled(
    template: tuple[Template, StatementShape], pieces: list[str], canonical: Constants
) -> tuple[StatementShape, Constants] | None:
    """The shape and constants of a text that fits a template; None if it does not."""
    try:
        literals = template[0].literals(pieces)
    except DynamoError:
        return None
    if literals is None:
        return None
    return template[1], template[1].prepared.constants((*canonical, *literals))


def canonical_parameters(values: Sequence[AttributeValue] | None) -> Constants:
    """The canonical parameters. They are checked before the statement.

    Raises DynamoError: the first fault of one of them, in the words of the older layer.
    """
    if values is None:
        return ()
    if all(map(_IS_TEXT.__contains__, map(tuple, values))):
        return tuple(values)
    if all(len(value) == 1 for value in values) and plain_chars(values) is not None:
        return tuple(values)
    return tuple([canonical_value(value, Wording.OLDER) for value in values])


def without_table(statement: Prepared) -> DynamoError:
    """The error of a statement whose table does not exist: first that of what it selects.

    Of an index with several key attributes the service names the first. Source: measured by users,
    July and October 2026.
    """
    if statement.columns_fault is not None:
        return invalid(statement.columns_fault)
    return items_not_found(statement.table)


def access_of(statement: Prepared) -> Access:
    """The access that a statement needs."""
    action = _IAM_ACTIONS[statement.verb]
    if statement.index is None:
        return on_table(action, statement.table)
    return Access(action, Resource("index", statement.table, statement.index))
