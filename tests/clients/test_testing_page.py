"""The programs of docs/testing.md, each written to the file that its first line names, and run.

They start their servers themselves, as their readers' do.
"""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.programs import run_program
from tests.docs.snippets import blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "testing.md"
NAME = re.compile(r"(?:#|//) (\S+)\n")
PROGRAMS = {
    NAME.match(block.code)[1]: block.code
    for block in blocks(PAGE.read_text("utf-8"))
    if NAME.match(block.code)
}
RUN_HERE = {
    "test_orders.py",
    "test_reports.py",
    "test_sessions.py",
    "test_shop.py",
    "test_with_unittest.py",
    "start_and_stop.py",
    "dynamodb.mjs",
    "orders.test.mjs",
    "Hashrange.java",
}
WITH_CONTAINERS = {"in_docker.py", "in_docker.mjs", "InDocker.java"}
"""Run by test_testcontainers."""


@pytest.fixture
def variables(environment):
    """Those of somebody who has installed the package, and set up nothing for AWS."""
    kept = {name: value for name, value in environment.items() if not name.startswith("AWS_")}
    return {**kept, "PATH": f"{Path(sys.executable).parent}:{kept['PATH']}"}


@pytest.fixture
def run(tmp_path, variables):
    """Runs a command in a folder with one program of the page; gives what it printed."""

    def run(name, *command, place=tmp_path):
        (place / name).write_text(PROGRAMS[name], "utf-8")
        ended = run_program(list(command), variables, place)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    return run


# A program that is added to the page is run, or the page is not to be believed.
def test_all_programs_of_the_page_are_run():
    assert set(PROGRAMS) == RUN_HERE | WITH_CONTAINERS


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("test_orders.py", 2),
        pytest.param("test_reports.py", 1, marks=pytest.mark.long),
        pytest.param("test_sessions.py", 1, marks=pytest.mark.long),
        pytest.param("test_shop.py", 2, marks=pytest.mark.long),
    ],
)
def test_pytest(run, name, count):
    plain = ["-p", "no:randomly", "-p", "no:cacheprovider"]
    printed = run(name, sys.executable, "-m", "pytest", "-q", "-W", "error", *plain, name)
    assert f"{count} passed" in printed


@pytest.mark.long
def test_unittest(run):
    name = "test_with_unittest.py"
    printed = run(name, sys.executable, "-W", "error", "-m", "unittest", Path(name).stem)
    assert re.search(r"Ran 1 test in .*\n\nOK\n", printed)


def test_start(run):
    printed = run("start_and_stop.py", sys.executable, "-W", "error", "start_and_stop.py")
    assert printed == "True []\n"


@pytest.mark.toolchain("node", "npm")
@pytest.mark.timeout(240)
def test_node(run, node_place):
    (node_place / "dynamodb.mjs").write_text(PROGRAMS["dynamodb.mjs"], "utf-8")
    printed = run("orders.test.mjs", "node", "--test", "orders.test.mjs", place=node_place)
    assert re.search(r"^\S+ pass 2$", printed, re.MULTILINE)
    assert re.search(r"^\S+ fail 0$", printed, re.MULTILINE)


@pytest.mark.toolchain("java", "javac")
def test_java(run):
    printed = run("Hashrange.java", "java", "Hashrange.java")
    assert printed == "127.0.0.1 100000000001\n"


# An SDK that is given no endpoint asks AWS: where the server does not start, no test may run.
@pytest.mark.toolchain("node", "npm")
@pytest.mark.timeout(240)
@pytest.mark.parametrize("said", ["ENOENT", "the server did not start"])
def test_node_without_a_server(tmp_path, node_place, variables, said):
    for name in ("dynamodb.mjs", "orders.test.mjs"):
        (node_place / name).write_text(PROGRAMS[name], "utf-8")
    if said != "ENOENT":
        broken = tmp_path / "hashrange"
        broken.write_text("#!/bin/sh\nexit 2\n", "utf-8")
        broken.chmod(0o700)
    node = shutil.which("node", path=variables["PATH"])
    path = f"{tmp_path}:/usr/bin:/bin"
    ended = run_program(
        [node, "--test", "orders.test.mjs"], {**variables, "PATH": path}, node_place
    )
    assert ended.returncode == 1
    assert said in ended.stdout
    assert "ENOTFOUND" not in ended.stdout
