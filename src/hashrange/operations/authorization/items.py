"""The permissions of operations on items, once their plans are made. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import attrgetter

from hashrange.expressions.program import Projection
from hashrange.model.values import AttributeValue
from hashrange.operations.authorization.permissions import (
    Asked,
    Permission,
    consumed,
    context_of,
    on_table,
    projected,
    returned,
    selection,
    tested,
    updated,
)
from hashrange.operations.items.batch_get_item import BatchGetItemPlan
from hashrange.operations.items.batch_write_item import BatchWriteItemPlan
from hashrange.operations.items.get_item import CheckedGetItem, GetItemPlan
from hashrange.operations.items.pages import PagePlan, PageRequest
from hashrange.operations.items.query import CheckedQuery
from hashrange.operations.items.scan import CheckedScan
from hashrange.operations.items.update_item import UpdateItemPlan
from hashrange.operations.items.written import SingleItemPlan
from hashrange.operations.pipeline.accesses import on_view


def of_get_item(checked: CheckedGetItem, plan: GetItemPlan, asked: Asked) -> Iterable[Permission]:
    """GetItem."""
    key, shape = checked.key, checked.shape
    permission = on_table(
        "GetItem",
        shape.table_names[0],
        asked,
        partitions=[(key[plan.table.partition_name],)],
        names=chain(key, projected(shape.projection)),
        options={
            "dynamodb:select": (selection(shape.projection),),
            "dynamodb:returnconsumedcapacity": (consumed(shape.consumed_detail),),
        },
    )
    return (permission,)


def of_put_item(_checked: object, plan: SingleItemPlan, asked: Asked) -> Iterable[Permission]:
    """PutItem."""
    return _of_write("PutItem", plan, asked, ())


def of_delete_item(_checked: object, plan: SingleItemPlan, asked: Asked) -> Iterable[Permission]:
    """DeleteItem."""
    return _of_write("DeleteItem", plan, asked, ())


def of_update_item(_checked: object, plan: UpdateItemPlan, asked: Asked) -> Iterable[Permission]:
    """UpdateItem."""
    return _of_write("UpdateItem", plan, asked, updated(plan.update))


def _of_write(
    action: str, plan: SingleItemPlan, asked: Asked, names: Iterable[str]
) -> Iterator[Permission]:
    options, item = plan.options, plan.item
    for returns in returned(options.returns, old_on_failure=options.returns_old_on_failure):
        yield on_table(
            action,
            options.table_names[0],
            asked,
            partitions=[(item[plan.table.partition_name],)],
            names=chain(item, names, tested(plan.guard.condition)),
            options={
                "dynamodb:returnvalues": (returns,),
                "dynamodb:returnconsumedcapacity": (consumed(options.capacity),),
            },
        )


def of_query(checked: CheckedQuery, plan: PagePlan, asked: Asked) -> Iterable[Permission]:
    """Query; of an index the keys are those of the index."""
    partition = [plan.constants[position] for position in plan.source.partition]
    return (_of_page("Query", checked.request, plan, asked, partitions=[partition]),)


def of_scan(checked: CheckedScan, plan: PagePlan, asked: Asked) -> Iterable[Permission]:
    """Scan, which has no keys, as on AWS."""
    return (_of_page("Scan", checked.request, plan, asked),)


def _of_page(
    action: str,
    request: PageRequest,
    plan: PagePlan,
    asked: Asked,
    *,
    partitions: Sequence[Sequence[AttributeValue]] = (),
) -> Permission:
    """The attributes are those of keys, too: LastEvaluatedKey shows them."""
    source = plan.source
    projection = source.view.projection
    (access,) = on_view(action, source.table_names[0], request.index_name)
    context = context_of(
        asked,
        partitions,
        chain(source.access_path.key_names, tested(plan.filter), projected(projection)),
        {
            "dynamodb:select": (request.select or _selection(request, projection),),
            "dynamodb:returnconsumedcapacity": (consumed(source.consumed_detail),),
        },
    )
    return Permission(access, context)


def _selection(request: PageRequest, projection: Projection | None) -> str:
    if request.index_name is not None and projection is None:
        return "ALL_PROJECTED_ATTRIBUTES"
    return selection(projection)


def of_batch_get_item(
    _checked: object, plan: BatchGetItemPlan, asked: Asked
) -> Iterator[Permission]:
    """BatchGetItem, for each of its tables."""
    for part, table in zip(plan.parts, plan.tables, strict=True):
        yield on_table(
            "BatchGetItem",
            part.name,
            asked,
            partitions=[(key[table.partition_name],) for key in part.keys],
            names=chain(table.key_names, projected(part.projection)),
            options={
                "dynamodb:select": (selection(part.projection),),
                "dynamodb:returnconsumedcapacity": (
                    consumed(plan.request.return_consumed_capacity),
                ),
            },
        )


def of_batch_write_item(
    _checked: object, plan: BatchWriteItemPlan, asked: Asked
) -> Iterator[Permission]:
    """BatchWriteItem, for each of its tables."""
    for name, writes in groupby(plan.writes, attrgetter("name")):
        named = list(writes)
        yield on_table(
            "BatchWriteItem",
            name,
            asked,
            partitions=[(write.item[write.table.partition_name],) for write in named],
            names=chain.from_iterable(write.item for write in named),
            options={
                "dynamodb:returnconsumedcapacity": (
                    consumed(plan.request.return_consumed_capacity),
                )
            },
        )
