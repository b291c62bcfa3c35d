"""Requests that are nearly right: good ones, changed where a parser or a check may trip."""

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from hashrange.api.dynamodb.registry import OPERATIONS

CORPUS: dict[str, list[dict[str, Any]]] = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted((Path(__file__).parent / "corpus").glob("*.json"))
}
"""Good requests by operation; they use the tables of `tables`."""


def _table(keys: str, **more: Any) -> dict[str, Any]:
    """What CreateTable is told of `name:type name:type ...`; the first one or two are the key."""
    attributes = [attribute.split(":") for attribute in keys.split()]
    return {
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in attributes
        ],
        "KeySchema": _schema(*[name for name, _ in attributes[:2]]),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


def _schema(*names: str) -> list[dict[str, str]]:
    roles = ("HASH", "RANGE")
    return [
        {"AttributeName": name, "KeyType": role} for name, role in zip(names, roles, strict=False)
    ]


def _index(name: str, *keys: str) -> dict[str, Any]:
    projection = {"ProjectionType": "ALL"}
    return {"IndexName": name, "KeySchema": _schema(*keys), "Projection": projection}


def _vectors(name: str, **roles: str) -> dict[str, Any]:
    """A vector index of the attribute `emb`."""
    schema = [
        {"AttributeName": attribute, "SearchSchemaElementType": role}
        for attribute, role in roles.items()
    ]
    return {
        "IndexName": name,
        "VectorAttribute": {"AttributeName": "emb"},
        "Dimensions": 2,
        "DistanceFunction": "EUCLIDEAN",
        "Projection": {"ProjectionType": "ALL"},
        **({"SearchSchema": schema} if schema else {}),
    }


TABLES = {
    "simple": _table("pk:S"),
    "ranged": _table("pk:S sk:N"),
    "other": _table("pk:B"),
    "indexed": _table(
        "pk:S sk:S g:S h:N l:B",
        GlobalSecondaryIndexes=[_index("global", "g", "h")],
        LocalSecondaryIndexes=[_index("local", "pk", "l")],
    ),
    "streamed": _table(
        "pk:S", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    ),
    "vectors": {
        **_table("pk:S"),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in (("pk", "S"), ("tenant", "S"), ("kind", "N"))
        ],
        "VectorIndexes": [
            _vectors("vix"),
            _vectors("by-tenant", tenant="HASH", kind="INLINE_FILTER"),
        ],
    },
}
"""The tables that the corpus uses, as CreateTable is told of them."""


def raw(text: str) -> msgspec.Raw:
    """JSON that no encoder would write."""
    return msgspec.Raw(text.encode())


def shown(part: object) -> str:
    """The name of a case: the same in every process, and short."""
    return repr(bytes(part) if isinstance(part, msgspec.Raw) else part)[:60]


def nested(opening: str, closing: str, depth: int, leaf: str) -> msgspec.Raw:
    return raw(opening * depth + leaf + closing * depth)


WRONG_KINDS: dict[str, Any] = {
    "number": 7,
    "fraction": 1.5,
    "string": "x",
    "empty string": "",
    "list": [1],
    "empty list": [],
    "object": {"x": 1},
    "empty object": {},
    "true": True,
    "false": False,
    "null": None,
    "nulls": [None, None],
    "strings": ["x", "x"],
    "lists": nested("[", "]", 200, ""),
    "objects": nested('{"a":', "}", 200, "1"),
    "list values": nested('{"L":[', "]}", 200, ""),
    "map values": nested('{"M":{"a":', "}}", 200, '{"S":""}'),
    "values": {"S": "x", "N": "1"},
    "value of no kind": {"X": "x"},
}
"""A value of each kind of JSON, and the shapes that members expect or are deep in."""

ODD_SCALARS: list[Any] = [
    *(0, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 1_000_000, raw("1e400"), raw("-1e-400")),
    *(raw("1" * 4000), raw("0." + "1" * 400), raw("-0"), raw("1E+2"), raw("1e1000000000")),
    *("true", "FALSE", "1", "\0", "\x7f", "é", "\N{GRINNING FACE}", "\ufeff", "a" * 256, "#", ":"),
    *("1e999999999", "-0.0", "1" * 39, "0x1", "NaN", "Infinity", "٣", "1 ", "+.5e+1", "AA", "AA=="),
    *("arn:", "arn:aws:dynamodb:us-east-1:000000000000:table/", "arn:aws:dynamodb::::", "ALL_NEW"),
    *(raw('"\\ud800"'), raw('"\\u0000"'), raw('"\\ud83d\\ude00"')),
]
SPICES = [
    *(
        "(",
        ")",
        "[",
        "]",
        ".",
        ",",
        "#",
        ":",
        "=",
        "<>",
        "<",
        "<=",
        "+",
        "-",
        " ",
        "\t",
        "\n",
        "\0",
    ),
    *(
        "AND",
        "OR",
        "NOT",
        "BETWEEN",
        "IN",
        "SET",
        "REMOVE",
        "ADD",
        "DELETE",
        "size(",
        "[0]",
        "[-1]",
    ),
    *("attribute_exists(", "begins_with(", "contains(", "if_not_exists(", "list_append(", "'", '"'),
    *(":a", ":p", "#p", "#n", "pk", "sk", "v", "[99999999999]", "name", "NOT NOT", "((", "))", "é"),
    *(
        "0",
        "9",
        "e",
        "/",
        "%",
        "\\",
        "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    ),
]
BYTES = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\0", b"\xff", b"\xc3", b"null"]

_MEMBERS = {
    name: operation.request.__struct_encode_fields__ for name, operation in OPERATIONS.items()
}
_DONORS = [request for requests in CORPUS.values() for request in requests]


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every container in the data with every key of it."""
    keys = list(data) if isinstance(data, dict) else range(len(data) if type(data) is list else 0)
    found = []
    for key in keys:
        found += [(data, key), *places(data[key])]
    return found


def encoded(request: object) -> bytes:
    return msgspec.json.encode(request)


def mutated(random: Random) -> tuple[str, bytes]:
    """An operation and the body of a request that may be wrong for it."""
    operation = random.choice(sorted(CORPUS))
    request = _copy(random.choice(CORPUS[operation]))
    for _ in range(random.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        _change(random, operation, request)
    if random.random() < 0.02:
        operation = random.choice(sorted(CORPUS))
    body = encoded(request)
    if random.random() < 0.1:
        return operation, _spoilt(random, body)
    if random.random() < 0.1:
        return operation, _with_duplicate(random, operation, body)
    return operation, body


def _change(random: Random, operation: str, request: dict[str, Any]) -> None:
    """Change one thing somewhere in a request."""
    found = places(request)
    if not found or random.random() < 0.15:
        member = random.choice([*_MEMBERS[operation], "Unknown", ""])
        request[member] = _donated(random, member)
        return
    container, key = random.choice(found)
    value = container[key]
    match random.randrange(8):
        case 0:
            container[key] = _copy(random.choice(list(WRONG_KINDS.values())))
        case 1:
            container[key] = random.choice(ODD_SCALARS)
        case 2:
            del container[key]
        case 3:
            other, name = random.choice(found)
            container[key] = _copy(other[name]) if name in places_of(other) else None
        case 4:
            container[key] = random.choice(
                [[value], [value] * 3, {"L": [value] * 2}, {"M": {"a": value}}, {"S": value}]
            )
        case 5 if isinstance(container, dict):
            container[random.choice(["", "pk", "S", "N", "B", "M", "#", "x" * 300])] = (
                container.pop(key)
            )
        case _:
            container[key] = _tweaked(random, value)


def places_of(container: Any) -> Any:
    """The keys that a container has."""
    return container if isinstance(container, dict) else range(len(container))


def _donated(random: Random, member: str) -> Any:
    donors = [request[member] for request in _DONORS if member in request]
    wrong = [*WRONG_KINDS.values(), *ODD_SCALARS]
    return _copy(random.choice(donors if donors and random.random() < 0.7 else wrong))


def _tweaked(random: Random, value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + random.choice([-1, 1, 2**31, -(2**63)])
        case str():
            for _ in range(random.randint(1, 3)):
                at = random.randint(0, len(value))
                end = at + random.choice([0, 0, 1, 1, 4, 30])
                value = value[:at] + random.choice(SPICES) + value[end:]
            return value
        case list() if value:
            return random.choice([value * 2, value[::-1], value[1:], [*value, None]])
        case dict() if value:
            return dict(list(value.items())[1:])
        case _:
            return value


def _with_duplicate(random: Random, operation: str, body: bytes) -> bytes:
    """A member twice; the last one counts."""
    member = random.choice(_MEMBERS[operation] or ("x",))
    first = b'{"%b":%b,' % (member.encode(), encoded(_donated(random, member)))
    return body if body == b"{}" else first + body[1:]


def _spoilt(random: Random, body: bytes) -> bytes:
    """Bytes put in, taken out or written over."""
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(body))
        end = at + random.choice([0, 1, 2, 50])
        body = body[:at] + random.choice(BYTES) + body[end:]
    return body


def _copy(data: Any) -> Any:
    match data:
        case dict():
            return {key: _copy(value) for key, value in data.items()}
        case list():
            return [_copy(value) for value in data]
        case _:
            return data
