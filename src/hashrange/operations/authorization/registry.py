"""The permissions of every operation. Pure."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from hashrange.operations.authorization import items, statements, tags, transactions
from hashrange.operations.authorization.permissions import ALL_KEYS, Asked, Permission
from hashrange.operations.items.batch_get_item import BatchGetItem
from hashrange.operations.items.batch_write_item import BatchWriteItem
from hashrange.operations.items.delete_item import DeleteItem
from hashrange.operations.items.get_item import GetItem
from hashrange.operations.items.put_item import PutItem
from hashrange.operations.items.query import Query
from hashrange.operations.items.scan import Scan
from hashrange.operations.items.update_item import UpdateItem
from hashrange.operations.partiql.batch_execute_statement import BatchExecuteStatement
from hashrange.operations.partiql.execute_statement import ExecuteStatement
from hashrange.operations.partiql.execute_transaction import ExecuteTransaction
from hashrange.operations.pipeline.operation import AnyOperation
from hashrange.operations.tables.create_table import CreateTable
from hashrange.operations.tables.tags import TagResource, UntagResource
from hashrange.operations.transactions.transact_get_items import TransactGetItems
from hashrange.operations.transactions.transact_write_items import TransactWriteItems

_Permissions: TypeAlias = Callable[[Any, Any, Asked], Iterable[Permission]]

_WITH_KEYS: Final[Mapping[type, _Permissions]] = MappingProxyType(
    {
        BatchExecuteStatement: statements.of_batch_execute_statement,
        BatchGetItem: items.of_batch_get_item,
        BatchWriteItem: items.of_batch_write_item,
        CreateTable: tags.of_create_table,
        DeleteItem: items.of_delete_item,
        ExecuteStatement: statements.of_execute_statement,
        ExecuteTransaction: statements.of_execute_transaction,
        GetItem: items.of_get_item,
        PutItem: items.of_put_item,
        Query: items.of_query,
        Scan: items.of_scan,
        TagResource: tags.of_tag_resource,
        TransactGetItems: transactions.of_transact_get_items,
        TransactWriteItems: transactions.of_transact_write_items,
        UntagResource: tags.of_untag_resource,
        UpdateItem: items.of_update_item,
    }
)
"""Operations whose requests have condition keys, by the types of their requests."""


def permissions(
    operation: AnyOperation, checked: Any, plan: Any, asked: Asked = ALL_KEYS
) -> Iterable[Permission]:
    """What policies must allow for a request, all of it.

    Args:
        operation: its row.
        checked: what its `check` made.
        plan: what its `fit` made.
        asked: the condition keys that policies look at.
    """
    made = _WITH_KEYS.get(operation.request)
    if made is None:
        return [Permission(access, {}) for access in operation.accesses(checked)]
    return made(checked, plan, asked)
