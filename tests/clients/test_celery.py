"""Celery, which stores results of tasks: `python/with_celery.py` says what it does."""

import sys

import pytest

from tests.clients.documented import documented
from tests.clients.programs import run_program

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]  # installs packages


@pytest.fixture
def seen(python):
    return python("with_celery.py")


def test_results(seen):
    assert seen["results"] is True
    assert seen["failure"] == ["KeyError('nothing')", "FAILURE"]
    assert seen["forgotten"] == "PENDING"


def test_groups_and_chords(seen):
    assert seen["groups"] == [1, 2, 3, 4, 5]
    assert seen["chords"] == 55


# It makes its table, and enables time to live once.
def test_table(seen):
    assert seen["table"] == [5, 6, "ttl"]
    assert seen["second_start"] == "value"


def test_documented(endpoint, environment, python_packages):
    command = [sys.executable, "-c", documented("Celery", endpoint)]
    ended = run_program(command, environment | {"PYTHONPATH": python_packages})
    assert ended.stdout == "done\n", ended.stderr
