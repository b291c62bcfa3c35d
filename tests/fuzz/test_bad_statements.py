"""Statements that nobody should send: whatever they say, they are answered, and soon."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.memory import LOOPS_MAX, MemoryServer
from tests.fuzz.mutations import TABLES
from tests.pace import costs_at_most
from tests.unit.expressions.partiql.grammar import parameters, question_marks, statements

MEMBERS = {
    "ExecuteStatement": None,
    "BatchExecuteStatement": "Statements",
    "ExecuteTransaction": "TransactStatements",
}


@pytest.fixture(scope="module")
def server():
    own = MemoryServer()
    own.create({"a-table": TABLES["indexed"], "simple": TABLES["simple"]})
    for number in range(3):
        key = {"pk": {"S": "a"}, "sk": {"S": str(number)}}
        own.call("PutItem", TableName="a-table", Item={**key, "a": {"N": str(number)}})
    yield own
    own.close()


def check(server, operation, *sent):
    member = MEMBERS[operation]
    (request,) = [dict(each) for each in sent] if member is None else [{member: list(sent)}]
    response = server.send(operation, json.dumps(request).encode())
    assert response.status in {200, 400}, (request, response.body)


@given(
    st.sampled_from(sorted(MEMBERS)),
    statements,
    st.lists(parameters, min_size=6, max_size=6),
    st.booleans(),
)
def test_statements_of_the_grammar_are_answered(server, operation, text, values, is_right):
    text = text.replace("an-index", "global")
    count = question_marks(text) if is_right else 1
    sent = {"Statement": text, **({"Parameters": values[:count]} if count else {})}
    check(server, operation, sent)


@given(st.sampled_from(sorted(MEMBERS)), st.text(max_size=100))
def test_any_text_is_answered(server, operation, text):
    check(server, operation, {"Statement": text.encode("utf-8", "replace").decode()})


# A SELECT has at most 8,192 characters; what it compares may be large.
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM simple WHERE " + " OR ".join(["pk = 'a' AND a = 1"] * 140),
        "SELECT * FROM simple WHERE " + " AND ".join([f"(pk = 'a' OR a = {n})" for n in range(99)]),
        "SELECT * FROM simple WHERE pk IN [" + ", ".join(["'a'"] * 100) + "] AND pk IN ['a']",
        "SELECT * FROM simple WHERE " + " AND ".join(["(a = 1) = (b = 2)"] * 90),
        "SELECT * FROM simple WHERE " + "(" * 23 + "a = 1" + ") = b" * 23,
        "SELECT * FROM simple WHERE " + "(" * 24 + "a = 1" + ")" * 24,
        "INSERT INTO simple VALUE {'pk': " + "[" * 39 + "]" * 39 + "}",
        "SELECT " + ", ".join(f"a{n}.b" for n in range(1000)) + " FROM simple",
        "UPDATE simple " + " ".join(f"SET a{n} = {n}" for n in range(500)) + " WHERE pk = 'a'",
    ],
    ids=range(9),
)
def test_large_statements(server, text):
    assert len(text) <= 8192
    with costs_at_most(LOOPS_MAX):
        check(server, "ExecuteStatement", {"Statement": text})
