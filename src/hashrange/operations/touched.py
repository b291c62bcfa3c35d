"""Which items a request is about, for those who count what is asked for most."""

from collections.abc import Iterator, Mapping

import msgspec

from hashrange.errors import DynamoError
from hashrange.expressions.key_conditions import KeyClause
from hashrange.model.values import AttributeValue
from hashrange.operations import query
from hashrange.operations.batch_get_item import BatchGetItem
from hashrange.operations.batch_write_item import BatchWriteItem
from hashrange.operations.delete_item import DeleteItem
from hashrange.operations.get_item import GetItem
from hashrange.operations.put_item import PutItem
from hashrange.operations.transact_get_items import TransactGetItems
from hashrange.operations.transact_shapes import Put
from hashrange.operations.transact_write_items import TransactWriteItems
from hashrange.operations.update_item import UpdateItem


class Touched(msgspec.Struct, frozen=True):
    """One item, or one partition of a table or an index.

    `values` has its key among its attributes, if the request is right; it was not checked.
    """

    table: str | None
    values: Mapping[str, AttributeValue]
    index: str | None = None


def touched(request: object) -> Iterator[Touched]:
    """What a decoded request names; nothing for one that names no keys."""
    match request:
        case GetItem() | UpdateItem() | DeleteItem():
            yield Touched(request.table_name, request.key or {})
        case PutItem():
            yield Touched(request.table_name, request.item or {})
        case query.Query():
            yield Touched(request.table_name, _equal(request), request.index_name)
        case BatchGetItem():
            for table, sent in (request.request_items or {}).items():
                yield from (Touched(table, key) for key in sent.keys or ())
        case BatchWriteItem():
            yield from _of_batch(request)
        case TransactGetItems() | TransactWriteItems():
            yield from _of_transaction(request)
        case _:
            pass


def _equal(request: query.Query) -> Mapping[str, AttributeValue]:
    try:
        _, clauses = query.check(request).expressions()
    except DynamoError:
        return {}
    return {
        clause.attribute: clause.operands[0]
        for clause in clauses
        if isinstance(clause, KeyClause) and clause.operator == "="
    }


def _of_batch(request: BatchWriteItem) -> Iterator[Touched]:
    for table, writes in (request.request_items or {}).items():
        for write in writes:
            if write.put_request is not None:
                yield Touched(table, write.put_request.item or {})
            elif write.delete_request is not None:
                yield Touched(table, write.delete_request.key or {})


def _of_transaction(request: TransactGetItems | TransactWriteItems) -> Iterator[Touched]:
    for entry in request.transact_items or ():
        for name in entry.__struct_fields__:
            action = getattr(entry, name)
            if action is not None:
                values = action.item if isinstance(action, Put) else action.key
                yield Touched(action.table_name, values or {})
