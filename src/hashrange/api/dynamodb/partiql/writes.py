"""INSERT, UPDATE and DELETE: the plans of PutItem, UpdateItem and DeleteItem."""

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.api.dynamodb.items import delete_item, put_item, update_item
from hashrange.api.dynamodb.items.conditions import Options
from hashrange.api.dynamodb.partiql.statements import StatementOptions, StatementPlan
from hashrange.api.steps.operation import CallerContext, Outcome
from hashrange.capacity.units import Charge
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.partiql.prepared import Prepared
from hashrange.messages import partiql as messages
from hashrange.messages.items.values import nesting_too_deep
from hashrange.model.structures.dynamodb import StatementAnswer, WriteAnswer
from hashrange.tables.writing.writer import write_item

ItemPlan: TypeAlias = put_item.PutItemPlan | update_item.UpdateItemPlan | delete_item.DeleteItemPlan

_RETURNS: Final = {
    None: "NONE",
    "ALL OLD": "ALL_OLD",
    "ALL NEW": "ALL_NEW",
    "MODIFIED OLD": "UPDATED_OLD",
    "MODIFIED NEW": "UPDATED_NEW",
}


def options_of(statement: Prepared, options: StatementOptions) -> Options:
    """The options of a write, as in the operations on items."""
    return Options(
        (statement.table,),
        _RETURNS[statement.returning],
        returns_old_on_failure=options.return_old,
        capacity=options.capacity,
        metrics=False,
        is_brief=options.capacity is None,
    )


class Write(StatementPlan, frozen=True):
    """A plan that puts, updates or deletes one item."""

    plan: ItemPlan

    def charges(self) -> Sequence[Charge]:
        """The least write units of the item."""
        return tuple(self.plan.charges())

    def spot(self) -> Charge:
        """The least write units of the item."""
        return self.plan.spot()

    async def run(self, context: CallerContext) -> Outcome:
        """Write the item."""
        try:
            outcome: Outcome = await write_item(self.plan, context)
        except DynamoError as error:
            raise reworded(error) from None  # it may be the same error
        return msgspec.structs.replace(outcome, answer=answer_of(outcome))


def answer_of(outcome: Outcome) -> StatementAnswer:
    """The answer of a statement, made of the answer of PutItem, UpdateItem or DeleteItem."""
    answer = outcome.answer
    assert isinstance(answer, WriteAnswer)
    items = [] if answer.attributes is None else [answer.attributes]
    return StatementAnswer(items, consumed_capacity=answer.consumed_capacity)


def reworded(error: DynamoError) -> DynamoError:
    """A fault of an update, with the text of statements."""
    if error.message == nesting_too_deep():
        return invalid(messages.nesting_too_deep())
    return error
