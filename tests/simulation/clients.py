"""Random clients: each sends one request after another, and writes down what it asked and heard.

Each write of an item gives it an attribute `w` that no other write has, so that the versions of an
item can be told apart in its images.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

from bench.signed import ADMINISTRATOR
from hashrange.access.signatures.signing import Credentials
from tests.simulation.loop import passes
from tests.simulation.server import EPOCH_MS, LostError
from tests.simulation.users import is_denied

TABLE = "things"
INDEX = "by-group"
KEYS = tuple(f"k{number}" for number in range(6))
GROUPS = ("red", "green", "blue")

Version: TypeAlias = str | None
"""The `w` of an item; None if the item is not there."""
Body: TypeAlias = dict[str, Any]


@dataclass
class Call:
    """One request: what it wanted to write, what it saw, and when.

    Attributes:
        name: of the operation and its form.
        called, returned: moments of the world's clock; `returned` is None without an answer.
        writes: the versions that it wants to make, by key; None for a removal.
        reads: the versions that its answer shows, by key.
        took_effect: whether its writes happened; None if nobody knows.
        is_atomic: all that it reads and writes is of one moment.
        is_weak: what it reads may be old.
        refusal: the error of a request that was refused.
        units: of capacity of the table that it took, as its answer says.
    """

    name: str
    called: float
    returned: float | None = None
    writes: dict[str, Version] = field(default_factory=dict)
    reads: dict[str, Version] = field(default_factory=dict)
    took_effect: bool | None = None
    is_atomic: bool = True
    is_weak: bool = False
    refusal: str = ""
    units: float = 0.0


@dataclass
class Client:
    """A client of the servers of a world.

    Args:
        ask: sends a request to one of the servers.
        now: the world's clock.
        random: draws what it does.
        versions: gives a new `w`.
        history: of all clients.
        sends_transactions: strong tables have none.
        keys: sign its requests.
    """

    ask: Callable[[str, Body], Any]
    now: Callable[[], float]
    random: Random
    versions: Iterator[str]
    history: list[Call]
    sends_transactions: bool = True
    keys: Credentials = ADMINISTRATOR

    async def work(self, requests: int) -> None:
        """Send so many requests, with pauses."""
        for _ in range(requests):
            await passes(self.random.expovariate(1 / 0.01))
            (form,) = self.random.choices(_FORMS, _WEIGHTS)
            if self.sends_transactions or form not in _TRANSACTIONS:
                await form(self)

    def begun(self, name: str, **members: Any) -> Call:
        """A call that begins now."""
        call = Call(name, self.now(), **members)
        self.history.append(call)
        return call

    async def sent(self, call: Call, target: str, body: Body) -> Body | None:
        """The answer, if the request succeeded; None if it was refused, failed or was lost."""
        try:
            status, answer = await self.ask(target, {"ReturnConsumedCapacity": "INDEXES", **body})
        except LostError:
            return None
        if status >= 500:
            return None
        call.returned = self.now()
        call.took_effect = status == 200
        denied = is_denied(call.name, self.keys, call.writes)
        if status == 200:
            assert not denied, f"allowed against a policy: {call}"
            call.units += _units(answer.get("ConsumedCapacity", []))
            return answer
        kind = _kind(answer)
        if kind not in ({_DENIED} if denied else _REFUSALS):
            raise AssertionError(f"{call.name}: {answer}")
        call.refusal = kind
        return answer

    def item(self, key: str, version: str) -> Body:
        """An item of this version; some have the attribute of the index, some expire."""
        item = {"pk": {"S": key}, "w": {"S": version}}
        if self.random.random() < 0.8:
            item["group"] = {"S": self.random.choice(GROUPS)}
        if self.random.random() < 0.2:
            until = EPOCH_MS // 1000 + int(self.now()) + self.random.randrange(1, 8)
            item["until"] = {"N": str(until)}
        if self.random.random() < 0.3:
            item["ballast"] = {"S": "x" * self.random.randrange(600)}
        return item


_DENIED = "AccessDeniedException"
THROTTLED = "ProvisionedThroughputExceededException"
_REFUSALS = {
    THROTTLED,
    "ConditionalCheckFailedException",
    "TransactionCanceledException",
    "TransactionConflictException",
    "DuplicateItemException",
    "TransactionInProgressException",
    "ReplicatedWriteConflictException",
}


def _units(consumed: Body | list[Body]) -> float:
    """Of the table itself; none if a batch wrote nothing."""
    each = consumed if isinstance(consumed, list) else [consumed]
    return sum(one["Table"]["CapacityUnits"] for one in each)


def _kind(answer: Body) -> str:
    reasons = {each["Code"] for each in answer.get("CancellationReasons", ())}
    if reasons & {"ProvisionedThroughputExceeded", "ThrottlingError"}:
        return THROTTLED
    return str(answer["__type"].rpartition("#")[2])


def version_of(item: Body | None) -> Version:
    """The `w` of an item in an answer."""
    return item["w"]["S"] if item else None


def _key(key: str) -> Body:
    return {"pk": {"S": key}}


async def _put(client: Client) -> None:
    key, version = client.random.choice(KEYS), next(client.versions)
    call = client.begun("put", writes={key: version})
    body = {"TableName": TABLE, "Item": client.item(key, version), "ReturnValues": "ALL_OLD"}
    answer = await client.sent(call, "PutItem", body)
    if answer is not None and call.took_effect:
        call.reads = {key: version_of(answer.get("Attributes"))}


async def _put_if(client: Client) -> None:
    """A write that depends on what the client has read before."""
    key, version = client.random.choice(KEYS), next(client.versions)
    seen = await _get_one(client, key)
    if seen is _UNKNOWN:
        return
    call = client.begun("put if", writes={key: version})
    body = {
        "TableName": TABLE,
        "Item": client.item(key, version),
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        **_condition(seen),
    }
    answer = await client.sent(call, "PutItem", body)
    if answer is None:
        return
    if call.took_effect:
        call.reads = {key: seen}
    elif call.refusal == "ConditionalCheckFailedException":
        call.reads = {key: version_of(answer.get("Item"))}
        assert call.reads[key] != seen, "a condition failed that held"


def _condition(seen: Version) -> Body:
    if seen is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    values = {":w": {"S": seen}}
    return {"ConditionExpression": "w = :w", "ExpressionAttributeValues": values}


async def _update(client: Client) -> None:
    key, version = client.random.choice(KEYS), next(client.versions)
    call = client.begun("update", writes={key: version})
    body = {
        "TableName": TABLE,
        "Key": _key(key),
        "UpdateExpression": "SET w = :w, #g = :g ADD n :one",
        "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {
            ":w": {"S": version},
            ":g": {"S": client.random.choice(GROUPS)},
            ":one": {"N": "1"},
        },
        "ReturnValues": "ALL_OLD",
    }
    answer = await client.sent(call, "UpdateItem", body)
    if answer is not None and call.took_effect:
        call.reads = {key: version_of(answer.get("Attributes"))}


async def _delete(client: Client) -> None:
    key = client.random.choice(KEYS)
    call = client.begun("delete", writes={key: None})
    body = {"TableName": TABLE, "Key": _key(key), "ReturnValues": "ALL_OLD"}
    answer = await client.sent(call, "DeleteItem", body)
    if answer is not None and call.took_effect:
        call.reads = {key: version_of(answer.get("Attributes"))}


_UNKNOWN = "unknown"


async def _get_one(client: Client, key: str, *, weak: bool = False) -> Version:
    call = client.begun("get", is_weak=weak)
    body = {"TableName": TABLE, "Key": _key(key), "ConsistentRead": not weak}
    answer = await client.sent(call, "GetItem", body)
    if answer is None or not call.took_effect:
        return _UNKNOWN
    call.reads = {key: version_of(answer.get("Item"))}
    return call.reads[key]


async def _get(client: Client) -> None:
    await _get_one(client, client.random.choice(KEYS), weak=client.random.random() < 0.3)


async def _select(client: Client) -> None:
    key = client.random.choice(KEYS)
    call = client.begun("select")
    statement = f'SELECT * FROM "{TABLE}" WHERE pk = ?'
    body = {"Statement": statement, "Parameters": [{"S": key}], "ConsistentRead": True}
    answer = await client.sent(call, "ExecuteStatement", body)
    if answer is not None and call.took_effect:
        call.reads = {key: version_of(next(iter(answer["Items"]), None))}


async def _batch_write(client: Client) -> None:
    keys = client.random.sample(KEYS, 3)
    made = {key: next(client.versions) for key in keys}
    call = client.begun("batch write", writes=dict(made), is_atomic=False)
    requests = [{"PutRequest": {"Item": client.item(key, made[key])}} for key in keys]
    answer = await client.sent(call, "BatchWriteItem", {"RequestItems": {TABLE: requests}})
    if call.refusal or (answer is not None and answer.get("UnprocessedItems")):
        call.took_effect = None


async def _batch_get(client: Client) -> None:
    keys = client.random.sample(KEYS, 3)
    call = client.begun("batch get", is_atomic=False)
    wanted = {TABLE: {"Keys": [_key(key) for key in keys], "ConsistentRead": True}}
    answer = await client.sent(call, "BatchGetItem", {"RequestItems": wanted})
    if answer is not None and call.took_effect and not answer["UnprocessedKeys"]:
        found = {item["pk"]["S"]: version_of(item) for item in answer["Responses"][TABLE]}
        call.reads = {key: found.get(key) for key in keys}


async def _scan(client: Client) -> None:
    """A strong scan: each item is there as it was at some moment of the call."""
    call = client.begun("scan", is_atomic=False)
    answer = await client.sent(call, "Scan", {"TableName": TABLE, "ConsistentRead": True})
    if answer is not None and call.took_effect:
        found = {item["pk"]["S"]: version_of(item) for item in answer["Items"]}
        call.reads = {key: found.get(key) for key in KEYS}


async def _query_index(client: Client) -> None:
    call = client.begun("query index", is_atomic=False, is_weak=True)
    body = {
        "TableName": TABLE,
        "IndexName": INDEX,
        "KeyConditionExpression": "#g = :g",
        "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {":g": {"S": client.random.choice(GROUPS)}},
    }
    answer = await client.sent(call, "Query", body)
    if answer is not None and call.took_effect:
        call.reads = {item["pk"]["S"]: version_of(item) for item in answer["Items"]}


async def _transact_get(client: Client) -> None:
    keys = client.random.sample(KEYS, 3)
    call = client.begun("transact get")
    gets = [{"Get": {"TableName": TABLE, "Key": _key(key)}} for key in keys]
    answer = await client.sent(call, "TransactGetItems", {"TransactItems": gets})
    if answer is not None and call.took_effect:
        versions = [version_of(each.get("Item")) for each in answer["Responses"]]
        call.reads = dict(zip(keys, versions, strict=True))


async def _transact_write(client: Client) -> None:
    """Changes two items if both, and a third one, are as they were read; sometimes sent twice."""
    keys = client.random.sample(KEYS, 3)
    read = client.begun("transact get")
    gets = [{"Get": {"TableName": TABLE, "Key": _key(key)}} for key in keys]
    answer = await client.sent(read, "TransactGetItems", {"TransactItems": gets})
    if answer is None or not read.took_effect:
        return
    versions = [version_of(each.get("Item")) for each in answer["Responses"]]
    seen = read.reads = dict(zip(keys, versions, strict=True))
    made = {key: next(client.versions) for key in keys[:2]}
    call = client.begun("transact write", writes=dict(made))
    writes: list[Body] = [
        {"Put": {"TableName": TABLE, "Item": client.item(key, made[key]), **_condition(seen[key])}}
        for key in keys[:2]
    ]
    check = {"TableName": TABLE, "Key": _key(keys[2]), **_condition(seen[keys[2]])}
    token = next(client.versions)
    body = {"TransactItems": [*writes, {"ConditionCheck": check}], "ClientRequestToken": token}
    answer = await client.sent(call, "TransactWriteItems", body)
    if answer is None or (call.took_effect and client.random.random() < 0.2):
        await _again(client, call, body)
    if call.took_effect:
        call.reads = dict(seen)


async def _again(client: Client, call: Call, body: Body) -> None:
    """The same request once more, as SDKs do: it takes effect once, and says so both times."""
    before, call.took_effect, call.returned = (call.took_effect, call.returned), None, None
    answer = await client.sent(call, "TransactWriteItems", body)
    if answer is None or not call.took_effect:
        is_refused = answer is not None and call.refusal != THROTTLED
        assert not is_refused or before[0] is None, f"a repeated request was refused: {answer}"
        # The first one may still be at work.
        call.took_effect, call.returned = before


async def _insert(client: Client) -> None:
    key, version = client.random.choice(KEYS), next(client.versions)
    call = client.begun("insert", writes={key: version})
    statement = f"INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'w': ?}}"
    body = {"Statement": statement, "Parameters": [{"S": key}, {"S": version}]}
    answer = await client.sent(call, "ExecuteStatement", body)
    if answer is not None and call.took_effect:
        call.reads = {key: None}


_WEIGHTED = {
    _put: 4,
    _put_if: 4,
    _update: 4,
    _delete: 2,
    _get: 4,
    _select: 1,
    _insert: 1,
    _batch_write: 1,
    _batch_get: 1,
    _scan: 1,
    _query_index: 1,
    _transact_get: 2,
    _transact_write: 3,
}
_TRANSACTIONS = (_transact_get, _transact_write)
_FORMS, _WEIGHTS = tuple(_WEIGHTED), tuple(_WEIGHTED.values())
