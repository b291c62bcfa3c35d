"""Random histories of transactions through boto3, against a dict: equal answers at every step.

The model is serial: a transaction is done as a whole, or not at all, before the next begins.
"""

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
    updated,
)
from tests.model.transaction_requests import SORTS, histories, sent_action, sent_get

TABLE = "histories"
partitions = count()
FAILED = "The conditional request failed"


@pytest.fixture(scope="module")
def client(start_server):  # noqa: F811 - the fixture
    """A client of a server of its own, with a table."""
    made = client_of(start_server())
    made.create_table(
        TableName=TABLE,
        **keyed(pk="S", sk="S"),
    )
    return made


def units(size, of):
    return 2.0 * max(1, -(-size // of))


class Model:
    """One partition as a dict, by sort key; each method answers what a server should."""

    def __init__(self, partition):
        self.partition = partition
        self.items = {}
        self.tokens = {}
        self.done = set()

    def key(self, action):
        return {"pk": self.partition, "sk": action["sort"]}

    def read(self, request):
        found = [self.items.get(get["sort"]) for get in request["gets"]]
        shown = [
            fragments(item, get["projection"]) if item is not None and get["projection"] else item
            for item, get in zip(found, request["gets"], strict=True)
        ]
        return {"items": shown, "read": sum(units(item_size(item), 4096) for item in found)}

    def write(self, request):
        token, actions = request["token"], request["actions"]
        if token is not None and self.tokens.setdefault(token, repr(actions)) != repr(actions):
            return {"refused": "IdempotentParameterMismatchException"}
        if token in self.done:
            sizes = [item_size(self.items.get(action["sort"])) for action in actions]
            return {"read": sum(units(size, 4096) for size in sizes)}
        before = [self.items.get(action["sort"]) for action in actions]
        outcomes = [self.outcome(*pair) for pair in zip(actions, before, strict=True)]
        if any(reason for reason, _ in outcomes):
            return {"reasons": self.told([reason for reason, _ in outcomes])}
        after = [item for _, item in outcomes]
        for action, item in zip(actions, after, strict=True):
            self.items.pop(action["sort"], None)
            if item is not None:
                self.items[action["sort"]] = item
        if token is not None:
            self.done.add(token)
        sizes = [max(map(item_size, pair)) for pair in zip(before, after, strict=True)]
        return {"written": sum(units(size, 1024) for size in sizes)}

    def outcome(self, action, before):
        """The reason why an action is refused, and what it makes of its item."""
        if action["condition"] is not None and not holds(action["condition"], before or {}):
            shown = before if action["failure"] == "ALL_OLD" else None
            return ("ConditionalCheckFailed", {FAILED}, shown), None
        try:
            return None, self.after(action, before)
        except RefusedError as error:
            return ("ValidationError", set(error.args), None), None

    def after(self, action, before):
        match action["kind"]:
            case "put":
                return {**self.key(action), **action["item"]}
            case "delete":
                return None
            case "check":
                return before
        removes = all(each[0] in {"REMOVE", "DELETE"} for each in action["actions"])
        if before is None and removes:
            return None
        return updated(before or self.key(action), action["actions"])

    def told(self, reasons):
        """As the service tells them: of those that are not valid only the first."""
        none = ("None", {None}, None)
        invalid = [reason for reason in reasons if reason and reason[0] == "ValidationError"]
        return [
            none
            if reason is None or (reason[0] == "ValidationError" and reason is not invalid[0])
            else reason
            for reason in reasons
        ]


def sent(client, model, request, example):
    """The request to a server, and its answer in the words of the model."""
    asked = {"ReturnConsumedCapacity": "TOTAL"}
    if request["kind"] == "read":
        gets = [sent_get(get, TABLE, model.key(get)) for get in request["gets"]]
        answer = client.transact_get_items(TransactItems=gets, **asked)
        found = [plain(response.get("Item")) for response in answer["Responses"]]
        return {"items": found, "read": answer["ConsumedCapacity"][0]["ReadCapacityUnits"]}
    actions = [sent_action(each, TABLE, model.key(each)) for each in request["actions"]]
    if request["token"] is not None:
        asked["ClientRequestToken"] = f"{example}{request['token']}"
    try:
        answer = client.transact_write_items(TransactItems=actions, **asked)
    except ClientError as error:
        return refused(error.response)
    (consumed,) = answer["ConsumedCapacity"]
    if "ReadCapacityUnits" in consumed:
        return {"read": consumed["ReadCapacityUnits"]}
    return {"written": consumed["WriteCapacityUnits"]}


def refused(response):
    reasons = response.get("CancellationReasons")
    if reasons is None:
        return {"refused": response["Error"]["Code"]}
    return {
        "reasons": [
            (reason["Code"], reason.get("Message"), plain(reason.get("Item"))) for reason in reasons
        ]
    }


def plain(item):
    return None if item is None else {name: from_wire(value) for name, value in item.items()}


def equal(answer, expected):
    if answer.keys() != expected.keys():
        return False
    for name, value in expected.items():
        match name:
            case "items":
                pairs = zip(answer[name], value, strict=True)
                if not all(same_items(*pair) for pair in pairs):
                    return False
            case "reasons":
                pairs = zip(answer[name], value, strict=True)
                if not all(same_reasons(*pair) for pair in pairs):
                    return False
            case _:
                if answer[name] != value:
                    return False
    return True


def same_items(one, other):
    return one is other if one is None or other is None else same(one, other)


def same_reasons(told, expected):
    code, text, item = told
    return code == expected[0] and text in expected[1] and same_items(item, expected[2])


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
    example = next(partitions)
    model = Model(f"p{example}")
    items, size = counted(client)
    last = {"kind": "read", "gets": [{"sort": sort, "projection": []} for sort in SORTS]}
    for request in [*history, last]:
        for _ in range(1 + request.get("again", 0)):
            before = dict(model.items)
            expected = model.read(request) if request["kind"] == "read" else model.write(request)
            answer = sent(client, model, request, example)
            said = f"{request} of {before} was answered {answer}, and not {expected}"
            assert equal(answer, expected), said
    total = sum(map(item_size, model.items.values()))
    assert counted(client) == (items + len(model.items), size + total)
