"""Requests on tables of the tests, and the permissions that they need."""

import msgspec

from hashrange.api.authorization.residuals import permissions
from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.accesses import Access, Resource
from hashrange.model.table import Index, KeyAttribute
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.tables.definitions import PK, SK, definition

T = "a-table"
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/a-table"
KEY = {"pk": {"S": "ann"}, "sk": {"N": "1.0"}}
CAT = {"pk": {"S": "cat"}, "sk": {"N": "1"}}
BOB = {"pk": {"S": "bob"}, "sk": {"N": "2"}}
TOWN, YEAR, PRICE = KeyAttribute("town", "S"), KeyAttribute("year", "N"), KeyAttribute("price", "N")
INDEX = Index(name="by-town", number=1, partition=(TOWN, YEAR), sort=(PRICE,), projection="ALL")
TABLE = OpenTable(definition(sort=SK, attributes=(PK, SK, TOWN, YEAR, PRICE), indexes=(INDEX,)), {})
OTHER = OpenTable(definition(name="other", partition=KeyAttribute("id", "S")), {})
ID = {"id": {"S": "7"}}


def permitted(operation, request, *tables):
    row = OPERATIONS[operation]
    checked = row.check(msgspec.convert(request, row.request))
    plan = row.fit(checked, *(tables or (TABLE,)))
    return list(permissions(row, checked, plan))


def keys(operation, request, *tables):
    """The keys of the one permission, without prefix; single values without a tuple."""
    (permission,) = permitted(operation, {"TableName": T, **request}, *tables)
    assert permission.access == Access(operation, Resource("table", T))
    return plain(permission)


def plain(permission):
    context = {key.removeprefix("dynamodb:"): each for key, each in permission.context.items()}
    assert context.pop("firstpartitionkeyvalues", None) == context.get("leadingkeys")
    several = {"leadingkeys", "attributes", "aws:tagkeys"}
    return {key: each if key in several else each[0] for key, each in context.items()}


def values(**members):
    return {f":{name}": value for name, value in members.items()}


QUERY = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": values(p={"S": "ann"})}
