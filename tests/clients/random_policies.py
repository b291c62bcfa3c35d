"""Random policies and requests, drawn so that decisions of all kinds are frequent.

What is left out is what the IAM User Guide and @cloud-copilot/iam-simulate 0.1.173 say differently,
where this project follows the guide; tests/unit/access/policies has those rules.
"""

from random import Random
from typing import Any

ACCOUNT, OTHER_ACCOUNT = "123456789012", "999999999999"
USER = f"arn:aws:iam::{ACCOUNT}:user/ann"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/reader"
SESSION = f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/morning"
ROOT = f"arn:aws:iam::{ACCOUNT}:root"
VALUES = ["ann", "bob", "green"]

_KEYS = {"dynamodb:LeadingKeys": VALUES, "dynamodb:Attributes": ["pk", "title", "secret"]}
_SELECTIONS = ["ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"]
_RETURNED = ["NONE", "ALL_OLD", "UPDATED_NEW"]
_CAPACITY = {"dynamodb:ReturnConsumedCapacity": ["TOTAL", "NONE"]}
_READ = {"dynamodb:Select": _SELECTIONS}
_WRITE = {"dynamodb:ReturnValues": _RETURNED}
_READ_ONE = {"dynamodb:EnclosingOperation": ["TransactGetItems", None]}
_WRITE_ONE = {"dynamodb:EnclosingOperation": ["TransactWriteItems", None]}

# The condition keys of each operation, with the values that they are drawn from; of a list in a
# list several are drawn, and None is a key that is not there.
OPERATIONS: dict[str, dict[str, list[Any]]] = {
    "GetItem": _KEYS | _READ | _CAPACITY | _READ_ONE,
    "BatchGetItem": _KEYS | _READ | _CAPACITY,
    "Query": _KEYS | _READ | _CAPACITY,
    "Scan": {"dynamodb:Attributes": _KEYS["dynamodb:Attributes"]} | _READ | _CAPACITY,
    "PutItem": _KEYS | _WRITE | _CAPACITY | _WRITE_ONE,
    "UpdateItem": _KEYS | _WRITE | _CAPACITY | _WRITE_ONE,
    "DeleteItem": _KEYS | _WRITE | _CAPACITY | _WRITE_ONE,
    "ConditionCheckItem": _KEYS | _WRITE | _CAPACITY,
    "BatchWriteItem": _KEYS | _CAPACITY,
    "PartiQLSelect": _KEYS | _READ | {"dynamodb:FullTableScan": ["true", "false"]},
    "PartiQLUpdate": _KEYS | _WRITE,
    "DescribeTable": {},
    "GetRecords": {},
}
_GLOBAL: dict[str, list[Any]] = {
    "aws:SourceIp": ["10.1.2.3", "203.0.113.9", "2001:db8::7"],
    "aws:SecureTransport": ["true", "false"],
    "aws:CurrentTime": ["2026-11-01T00:00:00Z", "2027-11-01T00:00:00Z"],
    "aws:UserAgent": ["aws-cli/2", "Boto3/1", None],
    "aws:SourceVpc": ["vpc-1", "vpc-2", None],
}
_TEXTS = ["StringEquals", "StringLike", "StringEqualsIgnoreCase"]
_PATTERNS = ["ann", "a*", "gr??n", "*", "Bob", "${aws:username}", "${aws:PrincipalTag/team}",
             "x${aws:SourceVpc, 'none'}", "pk", "title", "s*t"]  # fmt: skip
_ACTIONS = ["dynamodb:*", "*", "dynamodb:Get*", "dynamodb:*Item", "dynamodb:Batch*",
            "dynamodb:?uery", "DYNAMODB:partiql*", "s3:GetObject"]  # fmt: skip


def _some(random: Random, values: list[Any]) -> list[Any]:
    return random.sample(values, random.randint(1, min(2, len(values))))


def context_of(random: Random, operation: str, principal: str) -> dict[str, Any]:
    """The condition keys of a request, with those of its principal."""
    context: dict[str, Any] = {}
    for key, values in (OPERATIONS[operation] | _GLOBAL).items():
        if key in _KEYS:
            if random.random() < 0.9:
                context[key] = random.sample(values, random.randint(1, len(values)))
        elif (value := random.choice(values)) is not None:
            context[key] = value
    is_user = principal == USER
    context |= {"aws:PrincipalArn": USER if is_user else ROLE, "aws:PrincipalAccount": ACCOUNT}
    context |= {"aws:username": "ann"} if is_user else {}
    return context | {"aws:PrincipalTag/team": "green"}


def _condition(random: Random) -> tuple[str, str, list[str]]:
    """An operator, a key, and values."""
    kind = random.choice(["set", "set", "one", "global", "null", "principal"])
    if kind == "set":
        quantifier = random.choice(["ForAllValues", "ForAnyValue"])
        negation = random.choice(["", "", "Not"])
        operator = random.choice(_TEXTS).replace("String", f"String{negation}")
        if_exists = "IfExists" if quantifier == "ForAllValues" and random.random() < 0.2 else ""
        key = random.choice(list(_KEYS))
        patterns = [each for each in _PATTERNS if not negation or "$" not in each]
        return f"{quantifier}:{operator}{if_exists}", key, _some(random, patterns)
    if kind == "one":
        keys = _READ | _WRITE | _CAPACITY | _READ_ONE | _WRITE_ONE
        key = random.choice(list(keys))
        operator = random.choice(["StringEquals", "StringNotEquals", "StringLike"])
        values = [value for value in keys[key] if value is not None]
        return operator + random.choice(["", "IfExists"]), key, _some(random, values)
    if kind == "null":
        key = random.choice([*_KEYS, "dynamodb:Select", "aws:SourceVpc", "aws:username"])
        return "Null", key, [random.choice(["true", "false"])]
    if kind == "principal":
        arns = [USER, ROLE, "arn:aws:iam::*:user/*", f"arn:aws:iam::{ACCOUNT}:*/reader"]
        operator = random.choice(["ArnEquals", "ArnLike", "ArnNotEquals", "StringLike"])
        return operator, "aws:PrincipalArn", _some(random, arns)
    return random.choice(
        [
            ("IpAddress", "aws:SourceIp", ["10.0.0.0/8", "2001:db8::/32"]),
            ("NotIpAddress", "aws:SourceIp", ["203.0.113.0/24"]),
            ("Bool", "aws:SecureTransport", ["true"]),
            ("BoolIfExists", "dynamodb:FullTableScan", ["false"]),
            ("DateLessThan", "aws:CurrentTime", ["2027-01-01T00:00:00Z"]),
            ("DateGreaterThanEquals", "aws:CurrentTime", ["2027-01-01T00:00:00Z"]),
            ("StringLike", "aws:UserAgent", ["aws-*", "?oto3/*"]),
            ("StringNotLikeIfExists", "aws:SourceVpc", ["vpc-1"]),
            ("StringNotEqualsIgnoreCase", "aws:SourceVpc", ["VPC-1"]),
        ]
    )


def statement(random: Random, table: str) -> dict[str, Any]:
    """A statement without a principal."""
    made: dict[str, Any] = {"Effect": random.choice(["Allow", "Allow", "Allow", "Deny"])}
    single = [f"dynamodb:{name}" for name in OPERATIONS]
    actions = _some(random, random.choice([_ACTIONS, single]))
    made["NotAction" if random.random() < 0.15 else "Action"] = actions
    resources = ["*", table, f"{table[:-2]}*", f"{table}/index/*", f"{table[:-1]}?",
                 "arn:aws:dynamodb:*:*:table/*", f"{table[:-5]}${{aws:username, 'books'}}",
                 "arn:aws:dynamodb"]  # fmt: skip
    made["NotResource" if random.random() < 0.15 else "Resource"] = _some(random, resources)
    condition: dict[str, dict[str, list[str]]] = {}
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        operator, key, values = _condition(random)
        condition.setdefault(operator, {})[key] = values
    return made | ({"Condition": condition} if condition else {})


def policy(random: Random, table: str, *, principals: list[Any] | None = None) -> dict[str, Any]:
    """A policy; of a resource, if there are principals to name."""
    statements = [statement(random, table) for _ in range(random.randint(1, 3))]
    for made in statements:
        if principals is not None:
            negated = made["Effect"] == "Deny" and random.random() < 0.3
            made["NotPrincipal" if negated else "Principal"] = random.choice(principals)
    return {"Version": "2012-10-17", "Statement": statements}


def request(random: Random) -> dict[str, Any]:
    """A request with the policies that decide on it."""
    principal = random.choice([USER, SESSION])
    owner = random.choice([ACCOUNT, ACCOUNT, OTHER_ACCOUNT])
    table = f"arn:aws:dynamodb:us-east-1:{owner}:table/books"
    operation = random.choice([name for name in OPERATIONS if name != "GetRecords"])
    resource = table
    if random.random() < 0.05:
        operation, resource = "GetRecords", f"{table}/stream/2026-01-01T00:00:00.000"
    names: list[Any] = [{"AWS": ACCOUNT}, {"AWS": ROOT}, {"AWS": USER}, {"AWS": ROLE},
                        {"AWS": "111111111111"}]  # fmt: skip
    has_session_policy = principal == SESSION and random.random() < 0.4
    if owner != ACCOUNT or not has_session_policy:
        # Otherwise the guide lets no session policy limit what a resource policy allows.
        names += ["*", {"AWS": "*"}, {"AWS": [USER, SESSION]}]
    made = {
        "principal": principal,
        "action": f"dynamodb:{operation}",
        "resource": resource,
        "owner": owner,
        "context": context_of(random, operation, principal),
        "identity": [policy(random, table) for _ in range(random.randint(0, 2))],
    }
    if random.random() < 0.25:
        made["boundary"] = policy(random, table)
    if has_session_policy:
        made["session"] = policy(random, table)
    if random.random() < 0.5:
        made["of_resource"] = policy(random, table, principals=names)
    return made
