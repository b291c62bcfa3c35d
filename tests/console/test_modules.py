"""The pure modules of the pages, by value: JSON, numbers, sizes, paths, statements, code."""

import json

import pytest

from tests.console.conftest import ITEMS

pytestmark = pytest.mark.toolchain("chromium")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1", None),
        ("-0.50e3", None),
        (".5", None),
        ("9" * 38, None),
        ("9" * 39, "39 digits: a number has at most 38"),
        ("1" + "0" * 50, None),
        ("0" * 60, None),
        ("9e125", None),
        ("1e126", "larger than 9.99…E+125"),
        ("1e-130", None),
        ("1e-131", "smaller than 1E-130"),
        ("", "not a number"),
        ("1e", "not a number"),
        ("0x10", "not a number"),
        ("NaN", "not a number"),
        ("1,5", "not a number"),
    ],
)
def test_numbers(js, text, fault):
    assert js("values.js", "m.numberFault(a0)", text) == fault


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"a": 12345678901234567890.10, "b": [1e2, -0]}',
            '{"a":12345678901234567890.10,"b":[1e2,-0]}',
        ),
        ('{"__proto__": 1}', '{"__proto__":1}'),
        ('{"a": 1,\n"a": 2}', '! "a" is there twice (line 2)'),
        ("[1,\n2,]", '! unexpected "]" (line 2)'),
        ('{"a" 1}', "! a colon is missing (line 1)"),
        ("[01]", "! a comma or a closing bracket is missing (line 1)"),
        ('"a\nb"', "! a text that does not end, or has a control character (line 1)"),
        ("", "! unexpected end (line 1)"),
        ("[" * 100, "! nested too deeply (line 1)"),
        ("1 2", "! more text after the end (line 1)"),
    ],
)
def test_json_keeps_its_digits(js, text, expected):
    assert js("json.js", "m.write(m.parse(a0))", text) == expected


def test_plain_json_keeps_types_that_it_does_not_have(js):
    item = json.loads(json.dumps({**ITEMS["Sinnerman"], "cover": {"B": "AP8="}}))
    expression = "m.parseItem(m.plainText(a0), 'plain', a0)"
    assert js("values.js", expression, item) == item


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"S": 1}, "x: S is a text"),
        ({"N": "1.x"}, "x: not a number"),
        ({"SS": []}, "x: a set has at least one element"),
        ({"NS": ["1", "1.0"]}, "x: an element of a set is there twice"),
        ({"B": "?"}, "x: B is base64"),
        ({"S": "a", "N": "1"}, 'x: a value has exactly one type, as {"S": "text"} or {"N": "1"}'),
        ({"M": {"a": {"L": [{"Q": 1}]}}}, "x.a[0]: a value has exactly one type"),
        ([], "x: a value has exactly one type"),
    ],
)
def test_faults_of_values(js, value, fault):
    assert js("values.js", "[...m.faultsOf(a0, 'x')][0]", value).startswith(fault)


def test_numbers_are_equal_whatever_their_zeros(js):
    assert js("values.js", "m.equal({N: '1.50'}, {N: '15e-1'})") is True
    assert js("values.js", "m.equal({N: '1'.repeat(38)}, {N: '1'.repeat(37) + '2'})") is False
    assert js("values.js", "m.equal({SS: ['a', 'b']}, {SS: ['b', 'a']})") is True


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b[0].c", [{"name": "a"}, {"name": "b"}, {"index": "0"}, {"name": "c"}]),
        ('"a.b"."c""d"', [{"name": "a.b"}, {"name": 'c"d'}]),
        ("a..b", "! a..b: not a path"),
        ("a.", "! a.: the name of an attribute is missing"),
        ("[0]", "! [0]: a path begins with a name"),
    ],
)
def test_paths(js, path, expected):
    found = js("query.js", "m.stepsOf(a0)", path)
    assert found == expected or (isinstance(found, str) and found.startswith(str(expected)))


# Tables that have partitions charge a scan for each: a small new one four times the least.
@pytest.mark.parametrize(
    ("size", "limit", "partitioned", "page", "whole"),
    [
        (100, "50", False, 0.5, 0.5),
        (100, "50", True, 1, 2),
        (40_000, "50", False, 2.5, 5),
        (40_000, "1", True, 0.5, 5),
        (0, "50", True, 0.5, 0.5),
    ],
)
def test_the_cost_of_a_scan(js, size, limit, partitioned, page, whole):
    warm = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}
    table = {"ItemCount": 100 * (size > 0), "TableSizeBytes": size, "WarmThroughput": warm}
    query = {"index": "", "limit": limit, "consistent": False}
    found = js("query.js", "m.estimate(a0, a1, a2)", table, query, partitioned)
    assert (found["page"], found["whole"]) == (page, whole)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1; SELECT 2", [["SELECT 1", 0], ["SELECT 2", 0]]),
        ("a 'x;''y' ? -- ; ?\n;;b \"c;?\"", [["a 'x;''y' ?", 1], ['b "c;?"', 0]]),
        ("'open ; ?", [["'open ; ?", 0]]),
        (" -- nothing", []),
    ],
)
def test_statements(js, text, expected):
    assert js("statements.js", "m.statementsOf(a0).map((e) => [e.text, e.marks])", text) == expected


REQUESTS = [
    (
        "Query",
        {
            "KeyConditionExpression": "#n0 = :v0",
            "FilterExpression": "size(#n1) > :v1 AND attribute_exists(#n1)",
            "ExpressionAttributeNames": {"#n0": "artist", "#n1": "meta"},
            "ExpressionAttributeValues": {":v0": {"S": "Nina Simone"}, ":v1": {"N": "1"}},
        },
    ),
    ("Scan", {}),
    ("GetItem", {"Key": {"artist": {"S": "Nina Simone"}, "title": {"S": "Sinnerman"}}}),
]


# Code that does not run, or finds other items, is worse than none.
@pytest.mark.parametrize(("operation", "members"), REQUESTS, ids=lambda each: str(each)[:7])
def test_code_runs_and_finds_the_same(console, table, js, process_environment, operation, members):
    process_environment(
        AWS_ACCESS_KEY_ID="local", AWS_SECRET_ACCESS_KEY="local", AWS_DEFAULT_REGION="us-east-1"
    )
    request = {"TableName": table, **members}
    python = js("code.js", "m.codeOf('boto3', a0, a1)", operation, request)
    found = {}
    exec(compile(python, "code", "exec"), found)
    response = found["response"]
    items = response.get("Items") or [response["Item"]]
    assert ITEMS["Sinnerman"] in items
    statement = js("code.js", "m.codeOf('partiql', a0, a1)", operation, request)
    answer = console.client.execute_statement(Statement=statement.strip())
    assert sorted(map(str, answer["Items"])) == sorted(map(str, items))


MATCHES = {
    "=": ["Sinnerman"],
    "<>": ["Jóga"],
    "<": ["Jóga"],
    "<=": ["Jóga", "Sinnerman"],
    ">": [],
    ">=": ["Sinnerman"],
    "between": ["Sinnerman"],
    "in": ["Sinnerman"],
    "begins_with": ["Sinnerman"],
    "contains": ["Sinnerman"],
    "not contains": ["Jóga"],
    "exists": ["Jóga", "Sinnerman"],
    "not exists": [],
    "type": [],
    "size =": [],
    "size <": [],
    "size >": ["Jóga", "Sinnerman"],
}
"""The titles that each operator of filters finds, with the value Sinnerman, S or 1."""


# An operator that the page offers, and the server refuses, helps nobody.
def test_the_operators_of_filters_are_those_of_the_server(console, table, js):
    offered = js("query.js", "m.FILTER_OPERATORS.map((each) => [each].flat()[0])")
    assert offered == [*MATCHES]
    described = console.client.describe_table(TableName=table)["Table"]
    names = ("TableName", "KeySchema", "AttributeDefinitions")
    shown = {name: described[name] for name in names}
    for operator, expected in MATCHES.items():
        value = {"type": "N"}.get(operator, "1" if operator.startswith("size") else "Sinnerman")
        query = {"path": "title", "op": operator, "type": "S", "a": value, "b": "Sz"}
        text = "m.requestOf(a0, {...m.emptyQuery(), filters: [a1]}).request"
        found = console.client.scan(**js("query.js", text, shown, query))["Items"]
        assert sorted(each["title"]["S"] for each in found) == expected, operator


def test_the_clients_of_other_languages_have_their_members(js):
    request = {"TableName": "abc", **REQUESTS[0][1], "Limit": 5, "ScanIndexForward": False}
    expected = {
        "javascript": "new QueryCommand({",
        "java": ".expressionAttributeValues(Map.ofEntries(",
        "go": '":v1": &types.AttributeValueMemberN{Value: "1"},',
        "cli": "--no-scan-index-forward",
    }
    for language, text in expected.items():
        assert text in js("code.js", "m.codeOf(a0, 'Query', a1)", language, request)


@pytest.mark.parametrize(
    ("most", "top"), [(0, 1), (1, 1), (1.2, 2), (2.1, 2.5), (0.03, 0.05), (7800, 10000)]
)
def test_charts_end_at_round_numbers(js, most, top):
    assert js("chart.js", "m.roundAbove(a0)", most) == pytest.approx(top)


def test_lines_of_charts_are_interrupted_where_nothing_is_known(js):
    path = js("chart.js", "m.pathOf(a0, 10)", [0, 10, None, 5, 5])
    assert path == "M0.00 100.00L25.00 0.00M75.00 50.00L100.00 50.00"


STATE = {
    "nowMs": 1_000_000_000_000,
    "figures": {"engine_disk_full": 0, "worker_restarts_total": 0},
    "disk": {"place": "/data", "free": 50, "size": 100},
    "backup": None,
    "certificates": [],
}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, []),
        ({"disk": {"place": "/data", "free": 9, "size": 100}}, ["The disk has 9 B left of 100 B"]),
        ({"disk": None, "figures": {"engine_disk_full": 1}}, ["The disk is full"]),
        ({"figures": {"worker_restarts_total": 2}}, ["2 processes ended"]),
        ({"backup": {"newestMs": None, "failure": None}}, ["There is no backup yet"]),
        ({"backup": {"newestMs": None, "failure": "gone"}}, ["cannot be read: gone"]),
        ({"backup": {"newestMs": 1, "failure": None}}, []),
        (
            {"certificates": [{"subject": "CN=a", "failure": None, "endsMs": 1_000_864_000_000}]},
            ["CN=a ends in 10 d"],
        ),
        (
            {"certificates": [{"subject": "CN=a", "failure": None, "endsMs": 999_999_999_999}]},
            ["CN=a has ended"],
        ),
    ],
)
def test_what_an_operator_should_know(js, more, expected):
    found = js("rooms/server.js", "m.warnings(a0)", {**STATE, **more})
    assert len(found) == len(expected), found
    assert all(part in text for part, text in zip(expected, found, strict=True)), found


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([0, 0, 0], "\u2013"), ([99, 1, 0], "≤ 5 ms"), ([98, 2, 0], "≤ 1 s"), ([0, 0, 1], "> 1 s")],
)
def test_the_share_of_a_histogram(js, counts, expected):
    assert js("rooms/server.js", "m.within(a0, [0.005, 1], 0.99)", counts) == expected


def shard(name, first, last=None, parent=None):
    span = {"StartingSequenceNumber": first, **({"EndingSequenceNumber": last} if last else {})}
    found = {"ShardId": name, "SequenceNumberRange": span}
    return {**found, "ParentShardId": parent} if parent else found


SHARDS = [shard("a", "1", "99"), shard("b", "100", parent="a"), shard("c", "50", parent="gone")]


def test_shards_are_read_after_their_parents(js):
    due = "m.dueShards(a0, new Set(a1), new Set(a2)).map((each) => each.ShardId)"
    assert js("tail.js", due, SHARDS, [], []) == ["a", "c"]
    assert js("tail.js", due, SHARDS, ["a", "c"], []) == []
    assert js("tail.js", due, SHARDS, ["a", "c"], ["a"]) == ["b"]


def test_shards_are_a_tree(js):
    tree = js("tail.js", "m.treeOf(a0)", SHARDS)
    assert [each["shard"]["ShardId"] for each in tree] == ["a", "c"]
    assert [each["shard"]["ShardId"] for each in tree[0]["children"]] == ["b"]


@pytest.mark.parametrize(
    ("number", "expected"), [("5", "a"), ("99", "c"), ("100", "c"), ("0", None), ("9" * 40, "c")]
)
def test_a_sequence_number_has_a_shard(js, number, expected):
    assert js("tail.js", "m.shardOf(a0, a1)?.ShardId ?? null", SHARDS, number) == expected


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", True),
        ("OPEN", True),
        ("closed", False),
        ('{"eventName": ["INSERT", "MODIFY"]}', True),
        ('{"eventName": ["REMOVE"]}', False),
        ('{"dynamodb": {"NewImage": {"status": {"S": [{"prefix": "op"}]}}}}', True),
        ('{"dynamodb": {"OldImage": {"status": {"S": [{"exists": false}]}}}}', True),
        ('{"dynamodb": {"NewImage": {"status": {"S": [{"anything-but": ["open"]}]}}}}', False),
        ('{"eventName": "INSERT"}', False),
        ("{", False),
    ],
)
def test_records_match_filters(js, text, matches):
    record = {"eventName": "INSERT", "dynamodb": {"NewImage": {"status": {"S": "open"}}}}
    assert js("tail.js", "m.matchesFilter(a0, a1)", record, text) is matches


def partition(number, start, end, **more):
    counts = ("read_units", "write_units", "throttled_reads", "throttled_writes")
    return {"number": number, "start": start, "end": end, **dict.fromkeys(counts, 0), **more}


def test_rates_of_partitions_and_their_splits(js):
    before = {"index": "", "partitions": [partition(0, "", "80"), partition(1, "80", "")]}
    after = {
        "index": "",
        "partitions": [
            partition(0, "", "80", write_units=900),
            partition(2, "80", "c0", read_units=20, throttled_reads=4),
            partition(3, "c0", ""),
        ],
    }
    first, second, third = js("heat.js", "m.partitionsOf(a0, a1, 2)", after, before)
    assert (first["writes"], first["isNew"], first["width"]) == (450, False, 0.5)
    assert (second["reads"], second["throttled"], second["isNew"]) == (10, 2, True)
    assert third["width"] == 0.25
    assert js("heat.js", "a0.map(m.levelOf)", [first, second, third]) == [3, 1, 0]
    splits = js("heat.js", "m.splitsOf([a0], [a1])", after, before)
    assert splits == ["Partition 1 of the table was split into 2, 3"]
    assert js("heat.js", "m.rangeText(a0)", second) == "50 % to 75 %"
    inside = {"start": "80" * 20, "end": "90"}
    assert js("heat.js", "m.rangeText(a0)", inside) == "part of one partition key"


def test_the_load_of_minutes(js):
    minutes = [
        {"seconds": 60, "read_units": 10, "write_units": 0},
        {"seconds": 20, "read_units": 50, "write_units": 0},
        {"seconds": 1, "read_units": 0, "write_units": 0},
    ]
    load = js("heat.js", "m.loadOf(a0)", minutes)
    assert load["reads"] == pytest.approx(1600 / 81)
    assert load["readPeak"] == pytest.approx(50 / (1600 / 81))
    assert (load["writes"], load["writePeak"]) == (0, 1)
