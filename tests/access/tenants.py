"""The table of the tenants, and all the ways to the items of one of them.

A row is an attempt: an operation with a request that names a tenant. A feature that shows or
changes items adds its rows here.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.access.backup_calls import backup_calls, insight_calls
from tests.access.replica_calls import replica_calls
from tests.api.indexes import index_of, schema

POLICIES = Path(__file__).resolve().parents[2] / "examples" / "policies"
TENANT, VICTIM = "acme", "globex"
TENANTS = (TENANT, VICTIM)
NAME = "orders"
SECRET = "secret of "
TABLE = {
    "TableName": NAME,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("tenant", "sk", "status")
    ],
    "KeySchema": schema("tenant", sort=("sk",)),
    "GlobalSecondaryIndexes": [
        index_of("by-status", "tenant", sort=("status",)),
        index_of("of-all", "status"),
    ],
    "LocalSecondaryIndexes": [index_of("local", "tenant", sort=("status",))],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
ITEMS = {
    (tenant, sk): {
        "tenant": {"S": tenant},
        "sk": {"S": sk},
        "status": {"S": "open"},
        "note": {"S": SECRET + tenant},
    }
    for tenant in TENANTS
    for sk in ("1", "2")
}


def policy_of(name):
    """A policy of examples/policies."""
    return json.loads((POLICIES / f"{name}.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Attempt:
    """A request for the items of a tenant.

    Attributes:
        call: the method of the client.
        request: makes the request, from the world and the tenant.
        granted: a tenant may do it to its own items.
        service: of the client.
        leaks: the naive policy lets another tenant's items out, or changes them.
    """

    call: str
    request: Callable[[Any, str], dict[str, Any]]
    granted: bool = True
    service: str = "dynamodb"
    leaks: bool = False


def key(tenant, sk="1"):
    return {"tenant": {"S": tenant}, "sk": {"S": sk}}


def on_table(**request):
    return {"TableName": NAME, **request}


def values(**members):
    return {f":{name}": {"S": value} for name, value in members.items()}


OWN = key(TENANT)
SET = {"UpdateExpression": "SET note = :n", "ExpressionAttributeValues": values(n="x")}
EXISTS = {"ConditionExpression": "attribute_exists(sk)"}
EQUAL = [{"AttributeValueList": [{"S": TENANT}], "ComparisonOperator": "EQ"}]


def query(tenant, **more):
    condition = {
        "KeyConditionExpression": "tenant = :t",
        "ExpressionAttributeValues": values(t=tenant),
    }
    return on_table(**condition, **more)


def legacy_query(tenant, **more):
    condition = {"AttributeValueList": [{"S": tenant}], "ComparisonOperator": "EQ"}
    return on_table(KeyConditions={"tenant": condition}, **more)


def transact(*actions):
    return {"TransactItems": [{kind: {"TableName": NAME, **request}} for kind, request in actions]}


def statement(text, *parameters):
    """A request with a statement, in which `{t}` is the table and `{i}` its index."""
    made = {"Statement": text.format(t=f'"{NAME}"', i=f'"{NAME}"."by-status"')}
    return {**made, "Parameters": [{"S": each} for each in parameters]} if parameters else made


def literal(text, tenant):
    return statement(text.replace("TENANT", f"'{tenant}'"))


SELECT = "SELECT * FROM {t} WHERE tenant = TENANT AND sk = '1'"
UPDATE = "UPDATE {t} SET note = 'x' WHERE tenant = TENANT AND sk = '1'"
DELETE = "DELETE FROM {t} WHERE tenant = TENANT AND sk = '1'"
INSERT = "INSERT INTO {t} VALUE {{'tenant': TENANT, 'sk': 'new'}}"

ATTEMPTS = {
    "get": Attempt("get_item", lambda _, t: on_table(Key=key(t))),
    "get by ARN": Attempt("get_item", lambda w, t: {"TableName": w.arn, "Key": key(t)}),
    "get by another ARN": Attempt(
        "get_item",
        lambda w, t: {"TableName": w.arn.replace("us-east-1", "eu-west-1"), "Key": key(t)},
    ),
    "get, legacy": Attempt("get_item", lambda _, t: on_table(Key=key(t), AttributesToGet=["note"])),
    "get, one attribute": Attempt(
        "get_item", lambda _, t: on_table(Key=key(t), ProjectionExpression="note")
    ),
    "put": Attempt("put_item", lambda _, t: on_table(Item={**key(t), "note": {"S": "x"}})),
    "put, old values": Attempt(
        "put_item", lambda _, t: on_table(Item=key(t), ReturnValues="ALL_OLD")
    ),
    "put, legacy": Attempt(
        "put_item", lambda _, t: on_table(Item=key(t), Expected={"sk": {"Exists": False}})
    ),
    "update": Attempt("update_item", lambda _, t: on_table(Key=key(t), **SET)),
    "update, legacy": Attempt(
        "update_item",
        lambda _, t: on_table(
            Key=key(t), AttributeUpdates={"note": {"Action": "PUT", "Value": {"S": "x"}}}
        ),
    ),
    "update, failing": Attempt(
        "update_item",
        lambda _, t: on_table(
            Key=key(t),
            **SET,
            ConditionExpression="attribute_not_exists(sk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        ),
    ),
    "delete": Attempt("delete_item", lambda _, t: on_table(Key=key(t), ReturnValues="ALL_OLD")),
    "query": Attempt("query", lambda _, t: query(t)),
    "query, count": Attempt("query", lambda _, t: query(t, Select="COUNT")),
    "query, legacy": Attempt("query", lambda _, t: legacy_query(t)),
    "query, index": Attempt("query", lambda _, t: query(t, IndexName="by-status")),
    "query, index, legacy": Attempt("query", lambda _, t: legacy_query(t, IndexName="by-status")),
    "query, local index": Attempt("query", lambda _, t: query(t, IndexName="local")),
    "query, index of all": Attempt(
        "query",
        lambda _, t: on_table(
            IndexName="of-all",
            KeyConditionExpression="#s = :s",
            FilterExpression="tenant = :t",
            ExpressionAttributeNames={"#s": "status"},
            ExpressionAttributeValues=values(s="open", t=t),
        ),
        granted=False,
    ),
    "scan": Attempt("scan", lambda _, _t: on_table(), granted=False, leaks=True),
    "scan, own items": Attempt(
        "scan",
        lambda _, t: on_table(
            FilterExpression="tenant = :t", ExpressionAttributeValues=values(t=t)
        ),
        granted=False,
        leaks=True,
    ),
    "scan, legacy": Attempt(
        "scan", lambda _, _t: on_table(AttributesToGet=["note"]), granted=False, leaks=True
    ),
    "scan, index": Attempt(
        "scan", lambda _, _t: on_table(IndexName="by-status"), granted=False, leaks=True
    ),
    "scan, segment": Attempt(
        "scan", lambda _, _t: on_table(Segment=0, TotalSegments=1), granted=False, leaks=True
    ),
    "batch get": Attempt(
        "batch_get_item", lambda _, t: {"RequestItems": {NAME: {"Keys": [key(t, "2"), OWN]}}}
    ),
    "batch get, last": Attempt(
        "batch_get_item", lambda _, t: {"RequestItems": {NAME: {"Keys": [OWN, key(t, "2")]}}}
    ),
    "batch get, legacy": Attempt(
        "batch_get_item",
        lambda _, t: {"RequestItems": {NAME: {"Keys": [key(t)], "AttributesToGet": ["note"]}}},
    ),
    "batch get by ARN": Attempt(
        "batch_get_item",
        lambda w, t: {"RequestItems": {NAME: {"Keys": [OWN]}, w.arn: {"Keys": [key(t, "2")]}}},
    ),
    "batch put": Attempt(
        "batch_write_item",
        lambda _, t: {
            "RequestItems": {
                NAME: [
                    {"PutRequest": {"Item": key(TENANT, "own")}},
                    {"PutRequest": {"Item": key(t, "new")}},
                ]
            }
        },
    ),
    "batch delete": Attempt(
        "batch_write_item",
        lambda _, t: {"RequestItems": {NAME: [{"DeleteRequest": {"Key": key(t)}}]}},
    ),
    "transaction, get": Attempt(
        "transact_get_items",
        lambda _, t: transact(("Get", {"Key": key(TENANT, "2")}), ("Get", {"Key": key(t)})),
    ),
    "transaction, put": Attempt(
        "transact_write_items", lambda _, t: transact(("Put", {"Item": key(t, "new")}))
    ),
    "transaction, update": Attempt(
        "transact_write_items", lambda _, t: transact(("Update", {"Key": key(t), **SET}))
    ),
    "transaction, delete": Attempt(
        "transact_write_items", lambda _, t: transact(("Delete", {"Key": key(t)}))
    ),
    # A check of somebody else's item says whether it is there.
    "transaction, check": Attempt(
        "transact_write_items",
        lambda _, t: transact(
            ("Put", {"Item": key(TENANT, "own")}), ("ConditionCheck", {"Key": key(t), **EXISTS})
        ),
    ),
    "transaction, failing check": Attempt(
        "transact_write_items",
        lambda _, t: transact(
            (
                "ConditionCheck",
                {
                    "Key": key(t),
                    "ConditionExpression": "attribute_not_exists(sk)",
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                },
            )
        ),
    ),
    "select": Attempt("execute_statement", lambda _, t: literal(SELECT, t)),
    "select, parameter": Attempt(
        "execute_statement", lambda _, t: statement("SELECT * FROM {t} WHERE tenant = ?", t)
    ),
    "select, in": Attempt(
        "execute_statement",
        lambda _, t: literal(f"SELECT * FROM {{t}} WHERE tenant IN ('{TENANT}', TENANT)", t),
    ),
    "select, or": Attempt(
        "execute_statement",
        lambda _, t: literal(
            f"SELECT * FROM {{t}} WHERE tenant = '{TENANT}' OR tenant = TENANT", t
        ),
    ),
    "select, index": Attempt(
        "execute_statement", lambda _, t: literal("SELECT * FROM {i} WHERE tenant = TENANT", t)
    ),
    "select, all": Attempt(
        "execute_statement", lambda _, _t: statement("SELECT * FROM {t}"), granted=False, leaks=True
    ),
    "select, all of an index": Attempt(
        "execute_statement",
        lambda _, _t: statement("SELECT * FROM {i} WHERE status = 'open'"),
        granted=False,
        leaks=True,
    ),
    "select, not a key": Attempt(
        "execute_statement",
        lambda _, t: literal("SELECT * FROM {t} WHERE begins_with(tenant, TENANT)", t),
        granted=False,
        leaks=True,
    ),
    "statement, update": Attempt("execute_statement", lambda _, t: literal(UPDATE, t)),
    "statement, update, old values": Attempt(
        "execute_statement", lambda _, t: literal(UPDATE + " RETURNING ALL OLD *", t)
    ),
    "statement, delete": Attempt("execute_statement", lambda _, t: literal(DELETE, t)),
    "statement, insert": Attempt("execute_statement", lambda _, t: literal(INSERT, t)),
    "transaction of selects": Attempt(
        "execute_transaction", lambda _, t: {"TransactStatements": [literal(SELECT, t)]}
    ),
    "transaction of statements": Attempt(
        "execute_transaction", lambda _, t: {"TransactStatements": [literal(UPDATE, t)]}
    ),
    "transaction, exists": Attempt(
        "execute_transaction",
        lambda _, t: {
            "TransactStatements": [
                literal(INSERT.replace("'new'", "'own'"), TENANT),
                literal(f"EXISTS({SELECT} AND note <> 'y')", t),
            ]
        },
    ),
    **{
        f"{call}, {number}": Attempt(call, lambda w, _, made=made: made(w), granted=False)
        for number, (call, made) in enumerate(
            (*backup_calls(NAME), *insight_calls(NAME), *replica_calls(NAME))
        )
    },
    "describe stream": Attempt(
        "describe_stream",
        lambda w, _: {"StreamArn": w.stream},
        granted=False,
        service="dynamodbstreams",
        leaks=True,
    ),
    "shard iterator": Attempt(
        "get_shard_iterator",
        lambda w, _: {
            "StreamArn": w.stream,
            "ShardId": w.shard,
            "ShardIteratorType": "TRIM_HORIZON",
        },
        granted=False,
        service="dynamodbstreams",
        leaks=True,
    ),
    # An iterator is a position, no permission.
    "stolen iterator": Attempt(
        "get_records",
        lambda w, _: {"ShardIterator": w.iterator},
        granted=False,
        service="dynamodbstreams",
        leaks=True,
    ),
    "list streams": Attempt(
        "list_streams", lambda _, _t: {}, granted=False, service="dynamodbstreams"
    ),
    "list tables": Attempt("list_tables", lambda _, _t: {}, granted=False),
    "describe table": Attempt("describe_table", lambda _, _t: on_table(), granted=False),
    "change table": Attempt(
        "update_table", lambda _, _t: on_table(DeletionProtectionEnabled=False), granted=False
    ),
    "delete table": Attempt("delete_table", lambda _, _t: on_table(), granted=False),
    "time to live": Attempt(
        "update_time_to_live",
        lambda _, _t: on_table(TimeToLiveSpecification={"Enabled": True, "AttributeName": "note"}),
        granted=False,
    ),
    "tag": Attempt(
        "tag_resource",
        lambda w, _: {"ResourceArn": w.arn, "Tags": [{"Key": "a", "Value": "b"}]},
        granted=False,
    ),
    "show policy": Attempt(
        "get_resource_policy", lambda w, _: {"ResourceArn": w.arn}, granted=False
    ),
    "set policy": Attempt(
        "put_resource_policy",
        lambda w, _: {"ResourceArn": w.arn, "Policy": json.dumps(_let_in(w))},
        granted=False,
    ),
    "another table": Attempt(
        "create_table", lambda _, _t: {**TABLE, "TableName": "another"}, granted=False
    ),
}


def _let_in(world):
    user = "arn:aws:iam::111111111111:user/acme"
    allow = {"Effect": "Allow", "Principal": {"AWS": user}, "Action": "dynamodb:*"}
    return {"Version": "2012-10-17", "Statement": [{**allow, "Resource": world.arn}]}
