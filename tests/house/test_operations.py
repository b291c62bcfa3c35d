"""What is known of an operation stands in one row, and few files spell its name."""

import ast

import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.model.operations import OPERATION_FACTS
from tests.house.sources import ROOT, SOURCES, breaking, is_generated, nodes, relative

FACTS = "src/hashrange/model/operations.py"
NAMES_MAX = 3
# Exceptions, each with its reason.
LISTS_OF_OPERATIONS = {
    "src/hashrange/tools/copying/endpoint.py": "what must not be sent twice there",
    "src/hashrange/api/dynamodb/backups/restored_tables.py": "actions that AWS asks for a restore",
    "src/hashrange/api/dynamodb/replicas/requests.py": "actions that AWS asks for a replica",
    "src/hashrange/access/policies/replication.py": "a policy of AWS",
    "src/hashrange/access/policies/service_keys.py": "actions of DAX",
    "src/hashrange/tools/checking/running.py": "an order of examples",
    "src/hashrange/tools/templates/typescript_code.py": "classes of the SDK",
}
SPELLINGS_MAX = 6
LISTS_OF_AWS = {"src/hashrange/access/identities/aws_managed.py"}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_what_is_built_does_not_stand_among_what_is_not(name):
    text = (ROOT / "docs" / "differences.md").read_text("utf-8")
    unbuilt = text.partition("## Operations that are not built")[2].partition("\n## ")[0]
    assert unbuilt
    assert f"`{name}`" not in unbuilt


def _lists_of_operations(path):
    """Collections, and texts that are no docstrings, with the names of several operations."""
    docstrings = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    for node in nodes(path):
        match node:
            case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                words = [part.value for part in parts if isinstance(part, ast.Constant)]
            case ast.Dict(keys=parts):
                words = [part.value for part in parts if isinstance(part, ast.Constant)]
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                words = text.split()
            case _:
                continue
        if len(OPERATION_FACTS.keys() & words) > NAMES_MAX:
            yield node.lineno


def test_what_is_known_of_operations_stands_in_their_rows():
    assert list(_lists_of_operations(ROOT / FACTS)) == [], "one row an operation"
    found = breaking(SOURCES, _lists_of_operations)
    assert found.keys() == LISTS_OF_OPERATIONS.keys()


def test_an_operation_is_spelled_in_few_files():
    name = "BatchGetItem"
    spelling = {
        relative(path)
        for path in SOURCES
        if not is_generated(path) and name in path.read_text("utf-8")
    }
    assert FACTS in spelling
    assert len(spelling - LISTS_OF_AWS) <= SPELLINGS_MAX, sorted(spelling - LISTS_OF_AWS)
