"""PartiQL in short: a table for statements, and what they answer."""

from collections.abc import Callable
from typing import Any

from botocore.client import BaseClient

from tests.api.indexes import attributes, index_of, projected, schema
from tests.api.items import answer

NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "

KEY = "pk = 'a' AND sk = 'b'"


def where(condition: str) -> str:
    """A SELECT from T of one item that meets a condition."""
    return f"SELECT * FROM T WHERE {KEY} AND {condition}"


def update(assignments: str) -> str:
    """An UPDATE of an item of T."""
    return f"UPDATE T SET {assignments} WHERE {KEY}"


def statement_table(new_table: Callable[..., str]) -> str:
    """A table with `pk` and `sk` (S), a local index, and global ones, one of several keys."""
    return new_table(
        AttributeDefinitions=attributes(pk="S", sk="S", g="S", l="S", h="S"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[
            index_of("global", "g", **projected("INCLUDE", "p")),
            index_of("several", "g", "h"),
        ],
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("l",), **projected("KEYS_ONLY"))],
    )


def parameters(*values: dict[str, Any]) -> dict[str, Any]:
    """The member of a request; none for no values."""
    return {"Parameters": list(values)} if values else {}


def ran(client: BaseClient, statement: str, *values: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The answer to one statement."""
    request = {"Statement": statement, **parameters(*values), **more}
    return answer(client.execute_statement, **request)


def items(client: BaseClient, statement: str, *values: dict[str, Any], **more: Any) -> list[Any]:
    """The items that one statement answers."""
    return ran(client, statement, *values, **more)["Items"]


def responses(client: BaseClient, *statements: str, **more: Any) -> list[dict[str, Any]]:
    """What a batch of statements answers, an entry for each."""
    sent = [{"Statement": statement} for statement in statements]
    return answer(client.batch_execute_statement, Statements=sent, **more)["Responses"]


def transacted(client: BaseClient, *statements: str, **more: Any) -> dict[str, Any]:
    """The answer to a transaction."""
    sent = [{"Statement": statement} for statement in statements]
    return answer(client.execute_transaction, TransactStatements=sent, **more)
