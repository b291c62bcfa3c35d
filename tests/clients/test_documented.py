"""docs/clients.md is what people copy from. (What needs aiohttp is in test_asyncio.py.)"""

import json
import re
import sys

import pytest

from tests.clients.conftest import JAVASCRIPT, PYTHON
from tests.clients.documented import PAGE, documented, variables
from tests.clients.programs import run_program

pytestmark = pytest.mark.timeout(240)

NODE = pytest.mark.toolchain("node", "npm")
LISTS_TABLES = {
    "python": "import boto3; print(boto3.client('dynamodb').list_tables()['TableNames'])",
    "javascript": (
        "import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';"
        "const client = new DynamoDBClient();"
        "console.log((await client.send(new ListTablesCommand())).TableNames);"
    ),
}


@pytest.fixture
def printed(environment, request):
    """Runs the text of a program of Python or JavaScript: what it printed."""

    def run(language, text, **variables):
        if language == "python":
            place, command = None, [sys.executable, "-c", text]
        else:
            place = request.getfixturevalue("node_place")
            command = ["node", "--input-type=module", "--eval", text]
        ended = run_program(command, environment | variables, place)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


@pytest.mark.parametrize(("heading", "expected"), [("boto3", "'notes'"), ("PynamoDB", "first")])
def test_python(printed, notes, endpoint, heading, expected):
    assert expected in printed("python", documented(heading, endpoint))


@NODE
@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("JavaScript", "'notes'"),
        ("ElectroDB", "{ id: 'first' }"),
        ("DynamoDB-Toolbox", "["),
        ("Dynamoose", "first"),
        ("OneTable", "true"),
    ],
)
def test_javascript(printed, notes, endpoint, heading, expected):
    assert expected in printed("javascript", documented(heading, endpoint))


@pytest.mark.parametrize("language", ["python", pytest.param("javascript", marks=NODE)])
def test_variables(printed, notes, endpoint, language):
    assert "'notes'" in printed(language, LISTS_TABLES[language], **variables(endpoint))


# The endpoint comes from botocore, if the model has no host.
def test_variables_for_pynamodb(printed, notes, endpoint):
    program = documented("PynamoDB", endpoint).replace(f'        host = "{endpoint}"\n', "")
    assert "host" not in program
    assert printed("python", program, **variables(endpoint)) == "first\n"


def _versions():
    """Pinned versions by the name of the package."""
    for requirements in ("requirements.txt", "vector_stores.txt"):
        pinned = (PYTHON / requirements).read_text("utf-8")
        for name, version in re.findall(r"^([\w-]+)==([\d.]+)$", pinned, re.MULTILINE):
            if name != "langchain-tests":
                yield name, version
    package = json.loads((JAVASCRIPT / "package.json").read_text("utf-8"))
    for name, version in package["dependencies"].items():
        if name not in {"@aws-sdk/util-dynamodb", "@types/node", "typescript"}:
            yield name, version


@pytest.mark.parametrize(("name", "version"), list(_versions()))
def test_versions(name, version):
    assert re.search(rf"\| {re.escape(version)} \|", PAGE), name


# A lock file that names a mirror cannot be installed from where that is not.
def test_lock_names_no_registry():
    assert "resolved" not in (JAVASCRIPT / "package-lock.json").read_text("utf-8")
