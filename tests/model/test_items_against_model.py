"""Random histories of single items through boto3, against a dict: equal answers at every step."""

from itertools import count

import pytest
from botocore.exceptions import ClientError
from hypothesis import Phase, given, settings

from tests.api.conftest import client_of, start_server  # noqa: F401 - a fixture
from tests.api.tables import keyed
from tests.effort import effort
from tests.model.item_model import (
    RefusedError,
    fragments,
    from_wire,
    holds,
    item_size,
    same,
    to_wire,
    updated,
)
from tests.model.item_requests import (
    SORTS,
    Placeholders,
    condition_text,
    histories,
    path_text,
    update_text,
)

TABLE = "histories"
partitions = count()
FAILED = ("ConditionalCheckFailedException", "The conditional request failed")


@pytest.fixture(scope="module")
def client(start_server):  # noqa: F811 - the fixture
    """A client of a server of its own, with a table."""
    made = client_of(start_server())
    made.create_table(
        TableName=TABLE,
        **keyed(pk="S", sk="S"),
    )
    return made


class Model:
    """One partition as a dict, by sort key; each method answers what a server should."""

    def __init__(self, partition):
        self.partition = partition
        self.items = {}

    def key(self, request):
        return {"pk": self.partition, "sk": request["sort"]}

    def get(self, request):
        item = self.items.get(request["sort"])
        units = max(1, -(-item_size(item) // 4096)) / (1 if request["consistent"] else 2)
        if item is not None and request["projection"]:
            item = fragments(item, request["projection"])
        return {"Item": item, "units": units}

    def write(self, request):
        before = self.items.get(request["sort"])
        if request["condition"] is not None and not holds(request["condition"], before or {}):
            shown = before if request["failure"] == "ALL_OLD" else None
            return {"refused": {FAILED}, "Item": shown}
        try:
            after = getattr(self, request["kind"])(request, before)
        except RefusedError as error:
            refused = {("ValidationException", text) for text in error.args}
            return {"refused": refused, "Item": None}
        self.items.pop(request["sort"], None)
        if after is not None:
            self.items[request["sort"]] = after
        units = max(1, -(-max(item_size(before), item_size(after)) // 1024))
        return {"Attributes": self.attributes(request, before, after), "units": units}

    def put(self, request, _):
        return {**self.key(request), **request["item"]}

    def delete(self, *_):
        return None

    def update(self, request, before):
        actions = request["actions"]
        if before is None and actions and all(a[0] in {"REMOVE", "DELETE"} for a in actions):
            return None
        return updated(before or self.key(request), actions)

    def attributes(self, request, before, after):
        match request["wanted"]:
            case "ALL_OLD":
                return before
            case "ALL_NEW":
                return after
            case "UPDATED_OLD" | "UPDATED_NEW" as wanted:
                paths = [action[1] for action in request["actions"]]
                shown = before if wanted == "UPDATED_OLD" else after
                return fragments(shown or {}, paths) or None
            case _:
                return None


def sent(client, model, request):
    """The request to a server, and its answer in the words of the model."""
    used = Placeholders()
    members = {"TableName": TABLE, "ReturnConsumedCapacity": "TOTAL"}
    key = {name: to_wire(value) for name, value in model.key(request).items()}
    kind = request["kind"]
    if kind == "put":
        put = {**model.key(request), **request["item"]}
        members["Item"] = {name: to_wire(value) for name, value in put.items()}
    else:
        members["Key"] = key
    if kind == "get":
        members["ConsistentRead"] = request["consistent"]
        if request["projection"]:
            members["ProjectionExpression"] = ", ".join(map(path_text, request["projection"]))
    else:
        members["ReturnValues"] = request["wanted"]
        members["ReturnValuesOnConditionCheckFailure"] = request["failure"]
        if request["condition"] is not None:
            members["ConditionExpression"] = condition_text(request["condition"], used)
    if kind == "update" and request["actions"]:
        members["UpdateExpression"] = update_text(request["actions"], used)
    if used.values:
        members["ExpressionAttributeValues"] = used.values
    return told(getattr(client, f"{kind}_item"), members)


def told(call, members):
    """An answer, or a refusal, as the model has them."""
    try:
        response = call(**members)
    except ClientError as refused:
        error = refused.response["Error"]
        told = (error["Code"], error["Message"])
        return {"refused": told, "Item": plain(refused.response.get("Item"))}
    shown = "Item" if "Key" in members and "ConsistentRead" in members else "Attributes"
    units = response["ConsumedCapacity"]["CapacityUnits"]
    return {shown: plain(response.get(shown)), "units": units}


def plain(item):
    return None if item is None else {name: from_wire(value) for name, value in item.items()}


def assert_same(answer, expected, request, before):
    said = f"{request} of {before} was answered {answer}, and not {expected}"
    assert answer.keys() == expected.keys(), said
    for name, value in expected.items():
        if name in {"Item", "Attributes"} and value is not None:
            equal = answer[name] is not None and same(answer[name], value)
        elif name == "refused":
            equal = answer[name] in value
        else:
            equal = answer[name] == value
        assert equal, said


def counted(client):
    table = client.describe_table(TableName=TABLE)["Table"]
    return table["ItemCount"], table["TableSizeBytes"]


# Without shrinking, which takes minutes here: what is told of the one step says enough.
@settings(
    max_examples=effort(8, settings().max_examples),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(histories)
def test_history(client, history):
    model = Model(f"p{next(partitions)}")
    items, size = counted(client)
    last = [{"kind": "get", "sort": s, "projection": [], "consistent": True} for s in SORTS]
    for request in [*history, *last]:
        before = model.items.get(request["sort"])
        expected = model.get(request) if request["kind"] == "get" else model.write(request)
        assert_same(sent(client, model, request), expected, request, before)
    total = sum(map(item_size, model.items.values()))
    assert counted(client) == (items + len(model.items), size + total)
