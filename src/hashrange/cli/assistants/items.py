"""Tools that read tables, and the one that runs statements of PartiQL."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from hashrange.cli.assistants.answers import ToolError, bounded_page
from hashrange.expressions.partiql.statement_parser import parsed
from hashrange.expressions.partiql.syntax import Select
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.item_lines import parsed_json, value_of_json
from hashrange.tools.copying.place import ask
from hashrange.tools.scanning.expressions import expressions

LIMIT_MAX: Final = 1000
"""Of the items that one request evaluates."""
_LIMIT: Final = 25

Json: TypeAlias = dict[str, Any]
_Table: TypeAlias = Annotated[str, msgspec.Meta(description="Name of the table.")]
_Limit: TypeAlias = Annotated[
    int, msgspec.Meta(ge=1, le=LIMIT_MAX, description="Items to evaluate at most.")
]
_Values: TypeAlias = Annotated[
    Json | None,
    msgspec.Meta(
        description='Values of the placeholders of expressions, as {":s": "OPEN"}, in plain JSON '
        'or in DynamoDB JSON; numbers of more than 15 digits as {"N": "…"}.'
    ),
]
_Names: TypeAlias = Annotated[
    dict[str, str] | None, msgspec.Meta(description='Names of placeholders, as {"#s": "state"}.')
]
_Projection: TypeAlias = Annotated[
    str | None, msgspec.Meta(description="Attributes to return, separated by commas.")
]
_Filter: TypeAlias = Annotated[
    str | None, msgspec.Meta(description="A filter expression; what it hides costs units too.")
]
_Index: TypeAlias = Annotated[str | None, msgspec.Meta(description="Name of an index to read.")]
_Start: TypeAlias = Annotated[
    Json | None, msgspec.Meta(description="LastEvaluatedKey of the page before.")
]
_Consistent: TypeAlias = Annotated[bool, msgspec.Meta(description="A strongly consistent read.")]


class ListTables(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `list_tables`."""

    start: Annotated[
        str | None, msgspec.Meta(description="LastEvaluatedTableName of the page before.")
    ] = None


class TableName(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of tools for one table."""

    table: _Table


class GetItem(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `get_item`."""

    table: _Table
    key: Annotated[
        Json,
        msgspec.Meta(description='The whole primary key, as {"id": "1"} or {"id": {"S": "1"}}.'),
    ]
    projection: _Projection = None
    consistent: _Consistent = False


class Query(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `query`."""

    table: _Table
    key_condition: Annotated[
        str,
        msgspec.Meta(
            description="As `pk = :p AND begins_with(sk, :s)`; reserved words are allowed."
        ),
    ]
    values: _Values = None
    names: _Names = None
    index: _Index = None
    filter: _Filter = None
    projection: _Projection = None
    limit: _Limit = _LIMIT
    descending: bool = False
    start: _Start = None
    consistent: _Consistent = False


class Scan(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `scan`."""

    table: _Table
    filter: _Filter = None
    values: _Values = None
    names: _Names = None
    index: _Index = None
    projection: _Projection = None
    limit: _Limit = _LIMIT
    start: _Start = None
    consistent: _Consistent = False


class Statement(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `partiql`."""

    statement: Annotated[
        str, msgspec.Meta(description='As SELECT * FROM "orders" WHERE "id" = \'1\'.')
    ]
    limit: _Limit = _LIMIT
    next_token: Annotated[str | None, msgspec.Meta(description="NextToken of the page before.")] = (
        None
    )
    consistent: _Consistent = False


async def list_tables(place: Endpoint, asked: ListTables) -> object:
    """A page of names of tables."""
    request = {} if asked.start is None else {"ExclusiveStartTableName": asked.start}
    return await _asked(place, "ListTables", request)


async def describe_table(place: Endpoint, asked: TableName) -> object:
    """The description of a table, and its expiry."""
    name = {"TableName": asked.table}
    described = await _asked(place, "DescribeTable", name)
    expiry = await _asked(place, "DescribeTimeToLive", name)
    return {**described["Table"], **expiry}


async def get_item(place: Endpoint, asked: GetItem) -> object:
    """The item with a key, or a word that there is none."""
    found = expressions({"projection": asked.projection})
    request = {
        **found.members(**_texts(found.texts, ProjectionExpression="projection")),
        "TableName": asked.table,
        "Key": _typed(asked.key),
        "ConsistentRead": asked.consistent,
        "ReturnConsumedCapacity": "TOTAL",
    }
    answer = await _asked(place, "GetItem", request)
    return answer if "Item" in answer else {**answer, "Item": None}


async def query(place: Endpoint, asked: Query) -> object:
    """A page of items of one partition."""
    members = {"KeyConditionExpression": "condition", "FilterExpression": "filter"}
    texts = {"condition": asked.key_condition}
    request = _reading(asked, texts, members) | {"ScanIndexForward": not asked.descending}
    return bounded_page(await _asked(place, "Query", request))


async def scan(place: Endpoint, asked: Scan) -> object:
    """A page of items of a table."""
    request = _reading(asked, {}, {"FilterExpression": "filter"})
    return bounded_page(await _asked(place, "Scan", request))


async def select(place: Endpoint, asked: Statement) -> object:
    """A page of the items of a SELECT. Raises ToolError for other statements."""
    if not _is_select(asked.statement):
        raise ToolError(
            "only SELECT is allowed: to let it write, start the server with hashrange mcp --write"
        )
    return await execute(place, asked)


async def execute(place: Endpoint, asked: Statement) -> object:
    """The answer to a statement of PartiQL."""
    request: Json = {"Statement": asked.statement, "ReturnConsumedCapacity": "TOTAL"}
    if _is_select(asked.statement):
        request |= {"Limit": asked.limit, "ConsistentRead": asked.consistent}
    if asked.next_token is not None:
        request["NextToken"] = asked.next_token
    return bounded_page(await _asked(place, "ExecuteStatement", request))


def _is_select(statement: str) -> bool:
    return isinstance(parsed(statement).statement, Select)


def _reading(
    asked: Query | Scan, texts: Mapping[str, str], members: Mapping[str, str]
) -> dict[str, Any]:
    """The request of a query or scan; `members` names the kind of each expression."""
    found = expressions(
        {**texts, "filter": asked.filter, "projection": asked.projection},
        _json(asked.names),
        _json(asked.values),
    )
    found.check_use()
    request = {
        **found.members(**_texts(found.texts, ProjectionExpression="projection", **members)),
        "TableName": asked.table,
        "Limit": asked.limit,
        "ConsistentRead": asked.consistent,
        "ReturnConsumedCapacity": "TOTAL",
    }
    if asked.index is not None:
        request["IndexName"] = asked.index
    if asked.start is not None:
        request["ExclusiveStartKey"] = _typed(asked.start)
    return request


def _texts(texts: Mapping[str, str], **members: str) -> dict[str, str]:
    return {member: texts[kind] for member, kind in members.items() if kind in texts}


def _json(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _typed(members: Mapping[str, Any]) -> dict[str, Any]:
    """A key in DynamoDB JSON; it is that already, or plain JSON. Raises ItemError."""
    found = parsed_json(msgspec.json.encode(members))
    return {name: value_of_json(value) for name, value in found.items()}


async def _asked(place: Endpoint, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
    return await ask(place, place.named("").caller, operation, request)
