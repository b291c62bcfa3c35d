"""The permissions of transactions: those of the operations that their actions stand for. Pure."""

from collections.abc import Iterable, Iterator
from itertools import chain

from hashrange.model.values import AttributeValue
from hashrange.operations.authorization.permissions import (
    Asked,
    Permission,
    consumed,
    on_table,
    projected,
    returned,
    selection,
    tested,
    updated,
)
from hashrange.operations.transactions.transact_get_items import TransactGetItemsPlan
from hashrange.operations.transactions.transact_write_items import (
    IAM_ACTIONS,
    TransactWriteItemsPlan,
)


class _Group:
    """What actions have in common that differ in their keys and attributes."""

    __slots__ = ("names", "partitions")

    def __init__(self) -> None:
        self.partitions: list[tuple[AttributeValue]] = []
        self.names: dict[str, None] = {}

    def add(self, partition: AttributeValue, names: Iterable[str]) -> None:
        self.partitions.append((partition,))
        self.names.update(dict.fromkeys(names))


def of_transact_get_items(
    _checked: object, plan: TransactGetItemsPlan, asked: Asked
) -> Iterator[Permission]:
    """TransactGetItems: GetItem on each table, once with and once without a projection."""
    groups: dict[tuple[str, str], _Group] = {}
    for get in plan.gets:
        group = groups.setdefault((get.table_name, selection(get.projection)), _Group())
        partition = get.key[plan.by_name[get.table_name].partition_name]
        group.add(partition, (*get.key, *projected(get.projection)))
    for (table_name, select), group in groups.items():
        yield on_table(
            "GetItem",
            table_name,
            asked,
            partitions=group.partitions,
            names=group.names,
            options={
                "dynamodb:select": (select,),
                "dynamodb:returnconsumedcapacity": (
                    consumed(plan.request.return_consumed_capacity),
                ),
                "dynamodb:enclosingoperation": ("TransactGetItems",),
            },
        )


def of_transact_write_items(
    _checked: object, plan: TransactWriteItemsPlan, asked: Asked
) -> Iterator[Permission]:
    """TransactWriteItems: the action of each kind that occurs, on each table."""
    groups: dict[tuple[str, str, str], _Group] = {}
    for action, write in zip(plan.actions, plan.transaction.writes, strict=True):
        old = action.sent.return_values_on_condition_check_failure == "ALL_OLD"
        (returns,) = returned("NONE", old_on_failure=old)
        place = (IAM_ACTIONS[type(action.sent)], action.table_name, returns)
        names = chain(action.item, tested(action.guard.condition), updated(action.update))
        partition = action.item[write.table.partition_name]
        groups.setdefault(place, _Group()).add(partition, names)
    for (name, table_name, returns), group in groups.items():
        yield on_table(
            name,
            table_name,
            asked,
            partitions=group.partitions,
            names=group.names,
            options={
                "dynamodb:returnvalues": (returns,),
                "dynamodb:returnconsumedcapacity": (
                    consumed(plan.request.return_consumed_capacity),
                ),
                "dynamodb:enclosingoperation": ("TransactWriteItems",),
            },
        )
