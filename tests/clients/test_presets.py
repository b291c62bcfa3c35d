"""The presets of clients/ for frameworks of tests: built and used as by their users."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.programs import run_program
from tests.pace import seconds
from tests.served import served

CLIENTS = Path(__file__).parents[2] / "clients"
PRESETS = Path(__file__).parent / "presets"
GO = Path(__file__).parent / "go"
INSTALL_SECONDS_MAX = seconds(250)
pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def variables(environment):
    """Those of somebody who set up nothing for AWS; the server is that of this environment."""
    kept = {name: value for name, value in environment.items() if not name.startswith("AWS_")}
    return {**kept, "TEST_HASHRANGE_COMMAND": f"{sys.executable} -m hashrange"}


def ran(command, environment, place):
    """What a command printed that has to succeed."""
    ended = run_program(command, environment, place, INSTALL_SECONDS_MAX)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def node_project(variables, tmp_path_factory):
    """A project that has installed the tarball of the package."""
    place = tmp_path_factory.mktemp("project")
    shutil.copytree(
        PRESETS / "javascript", place, dirs_exist_ok=True, ignore=lambda *_: ["node_modules"]
    )
    ran(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], variables, place)
    packed = tmp_path_factory.mktemp("packed")
    ran(["npm", "pack", "--pack-destination", str(packed)], variables, CLIENTS / "javascript")
    (tarball,) = packed.glob("*.tgz")
    ran(["npm", "install", "--no-save", "--no-audit", "--no-fund", str(tarball)], variables, place)
    return place


@pytest.mark.toolchain("node", "npm")
def test_jest(node_project, variables):
    assert "Tests:       3 passed, 3 total" in ran(["npx", "jest"], variables, node_project)


@pytest.mark.toolchain("node", "npm")
def test_vitest(node_project, variables):
    plain = {**variables, "NO_COLOR": "1"}
    assert "3 passed (3)" in ran(["npx", "vitest", "run"], plain, node_project)


# A server that others have started serves all runs, and is not stopped.
@pytest.mark.toolchain("node", "npm")
def test_a_server_that_runs(node_project, variables):
    with served(memory=True, namespaces="separate") as server:
        running = {
            **variables,
            "TEST_HASHRANGE_ENDPOINT": server.endpoint,
            "TEST_HASHRANGE_COMMAND": "none",
        }
        for _ in range(2):
            assert "3 passed, 3 total" in ran(["npx", "jest"], running, node_project)


@pytest.mark.toolchain("node", "npm")
def test_a_program_that_is_missing(node_project, variables):
    missing = {**variables, "TEST_HASHRANGE_COMMAND": "no-such-program"}
    ended = run_program(["npx", "jest"], missing, node_project)
    assert ended.returncode != 0
    assert "no-such-program cannot be started (ENOENT): install hashrange" in ended.stderr


@pytest.mark.toolchain("java", "javac", "mvn")
def test_junit(variables, tmp_path):
    place = tmp_path / "java"
    shutil.copytree(CLIENTS / "java", place, ignore=lambda *_: ["target"])
    printed = ran(["mvn", "-B", "package"], variables, place)
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in printed
    assert (place / "target" / "hashrange-junit-0.1.0.jar").is_file()


@pytest.mark.toolchain("go")
def test_go(variables, tmp_path):
    for name in ("go.mod", "go.sum"):
        shutil.copy(GO / name, tmp_path)
    shutil.copy(PRESETS / "go" / "orders_test.go", tmp_path)
    with (tmp_path / "go.mod").open("a") as module:
        module.write("\nrequire hashrange.dev/testing v0.1.0\n")
        module.write(f"replace hashrange.dev/testing => {CLIENTS / 'go'}\n")
    assert "ok" in ran(["go", "test", "-mod=mod", "./..."], variables, tmp_path)
