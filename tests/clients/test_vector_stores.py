"""The vector stores of LangChain and Haystack, by the tests that these publish for stores.

`python/langchain_store.py` and `python/haystack_store.py` are run by a pytest of their own.
"""

import re
import sys

import pytest

from tests.clients.conftest import PYTHON, install
from tests.clients.programs import run_program
from tests.pace import seconds

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]  # installs packages

SECONDS_MAX = seconds(300)
WITHOUT_IDS = ["test_add_documents_with_existing_ids", "test_add_documents_with_existing_ids_async"]
"""The store sends no id of a document that has none, and botocore refuses that."""


@pytest.fixture(scope="module")
def packages(environment, tmp_path_factory):
    place = str(tmp_path_factory.mktemp("stores"))
    install("vector_stores.txt", place, environment)
    return place


@pytest.fixture
def passed(endpoint, environment, packages, tmp_path):
    """Runs the tests of a file: how many have passed; it fails if one of them does."""

    def run(program, *skipped):
        variables = environment | {
            "PYTHONPATH": packages,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
        }
        options = [
            "-q",
            "--noconftest",
            "-p",
            "pytest_asyncio.plugin",
            "-o",
            "asyncio_mode=auto",
            "-p",
            "no:cacheprovider",
        ]
        options += ["-c", str(tmp_path / "none.ini"), f"--rootdir={tmp_path}"]
        (tmp_path / "none.ini").write_text("[pytest]\n")
        only = ["-k", " and ".join(f"not {each}" for each in skipped)] if skipped else []
        command = [sys.executable, "-m", "pytest", *options, *only, str(PYTHON / program)]
        ended = run_program(command, variables, tmp_path, SECONDS_MAX)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return int(re.findall(r"(\d+) passed", ended.stdout)[-1])

    return run


def test_langchain(passed):
    assert passed("langchain_store.py", *WITHOUT_IDS) == 25


def test_haystack(passed):
    assert passed("haystack_store.py") == 59
