"""`.ci/run` leaves out no long test that a change concerns."""

import ast
import re
import shutil
import subprocess

import pytest

from tests.house.sources import FILES, ROOT, SOURCES, TESTS, relative
from tests.selection import (
    FLAGS,
    FULL_RUN,
    ROWS,
    SHORT,
    WRITES,
    commit_of,
    imports_of,
    is_full,
    is_in,
    is_known,
    record,
    runs,
    selected,
)

MODULES = {
    "tests/conftest.py": (),
    "tests/served.py": (),
    "tests/api/conftest.py": ("tests/served.py",),
    "tests/api/test_bench.py": ("tests/api/conftest.py",),
    "tests/api/test_put_item.py": ("tests/api/conftest.py",),
    "tests/clients/programs.py": (),
    "tests/clients/python/with_celery.py": (),
    "tests/clients/test_celery.py": ("tests/clients/programs.py",),
    "tests/clients/test_go.py": ("tests/clients/programs.py",),
    "tests/crash/server.py": (),
    "tests/crash/test_kill.py": ("tests/crash/server.py",),
    "tests/crash/test_kill_export.py": ("tests/crash/server.py",),
    "tests/fork_server.py": (),
    "tests/power/test_power_cuts.py": (),
    "tests/unit/wire/test_numbers.py": (),
}
LONG = re.compile(r"mark\.(long|toolchain)\b|\beffort\(")


@pytest.mark.parametrize(
    ("changed", "files"),
    [
        ([], set()),
        (["docs/scan.md", "CHANGELOG.md", "src/hashrange/messages/items/keys.py"], set()),
        (["src/hashrange/backups/exports/exports.py"], {"tests/crash/test_kill_export.py"}),
        # Whatever every server runs is tested by kills, and by power cuts.
        (
            ["src/hashrange/clock.py"],
            {
                "tests/crash/test_kill.py",
                "tests/crash/test_kill_export.py",
                "tests/power/test_power_cuts.py",
            },
        ),
        (["src/hashrange/console/static/app.js"], set()),
        (["bench/rows.py"], {"tests/api/test_bench.py"}),
        # What a test uses is as the test itself.
        (["tests/clients/test_go.py"], {"tests/clients/test_go.py"}),
        (
            ["tests/clients/programs.py"],
            {"tests/clients/test_celery.py", "tests/clients/test_go.py"},
        ),
        # Data, programs, and modules that are gone may be used by any test of their folder.
        (["tests/clients/go/go.mod"], {"tests/clients/test_celery.py", "tests/clients/test_go.py"}),
        (
            ["tests/clients/python/with_celery.py"],
            {"tests/clients/test_celery.py", "tests/clients/test_go.py"},
        ),
        (["tests/power/gone.py"], {"tests/power/test_power_cuts.py"}),
        (["tests/README.md"], set()),
    ],
)
def test_selected(changed, files):
    chosen = selected(changed, MODULES)
    assert chosen is not None
    assert {path for path in chosen.get("", ()) if "/unit/" not in path} == files


def test_properties_of_a_package_search_longer():
    chosen = selected(["src/hashrange/wire/numbers.py"], MODULES)
    assert "tests/unit/wire/test_numbers.py" in chosen[""]


def test_engines():
    chosen = selected(["src/hashrange/storage/postgres/lanes.py"], MODULES)
    assert chosen["postgres"] == ["tests/api/test_bench.py", "tests/api/test_put_item.py"]
    assert "workers" not in chosen
    assert "tests/power/test_power_cuts.py" not in chosen[""]
    chosen = selected(["src/hashrange/storage/sqlite/rows.py"], MODULES)
    assert set(chosen) == {""}
    assert "tests/power/test_power_cuts.py" in chosen[""]
    assert "workers" in selected(["src/hashrange/storage/workers/reader.py"], MODULES)


@pytest.mark.parametrize("path", ["pyproject.toml", "Makefile", ".ci/run", "elsewhere/new.py"])
def test_what_may_concern_anything_runs_all(path):
    assert selected([path], MODULES) is None


# A program that tests run is used by any of them.
def test_a_program_beside_the_folders_runs_every_row():
    chosen = selected(["tests/fork_server.py"], MODULES)
    assert chosen == {
        "": sorted(path for path in MODULES if "/test_" in path and "put_item" not in path),
        "postgres": ["tests/api/test_bench.py", "tests/api/test_put_item.py"],
        "workers": ["tests/api/test_put_item.py"],
    }


def test_imports():
    text = "import tests.api.dax\nfrom tests import rows\nfrom tests.api.conftest import client_of"
    assert imports_of("tests/api/test_dax.py", ast.parse(text)) >= {
        "tests/api/dax.py",
        "tests/rows.py",
        "tests/api/conftest.py",
        "tests/conftest.py",
    }


# A package in no row would be changed without its long tests.
def test_each_module_is_known():
    assert [name for path in SOURCES if not is_known(name := relative(path))] == []


def test_the_tests_with_workers_are_those_of_the_makefile():
    (listed,) = re.findall(
        r"^WRITES := \$\(patsubst %,tests/api/test_%\.py,(.*?)\)$",
        (ROOT / "Makefile").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    assert [f"tests/api/test_{name}.py" for name in re.findall(r"\w+", listed)] == WRITES.split()


def test_each_row_has_tests_and_concerns_something():
    names = [relative(path) for path in FILES]
    for row in ROWS:
        assert any(is_in(name, row.tests) for name in names), row
    patterns = {pattern for row in ROWS for pattern in row.concerns.split()} | {*SHORT.split()}
    unused = {each for each in patterns if not any(is_in(name, each) for name in names)}
    assert unused <= {FULL_RUN}


# A long test in no row runs only with all of them.
def test_each_long_test_is_in_a_row():
    marked = {
        relative(path)
        for path in TESTS
        if path.name.startswith("test_") and LONG.search(path.read_text("utf-8"))
    }
    chosen = selected(["tests/conftest.py"], dict.fromkeys(marked | {"tests/conftest.py"}, ()))
    assert marked - set(chosen[""]) == set()


@pytest.mark.parametrize(
    ("arguments", "full"),
    [
        ("--all-clients --all-engines", True),
        ("--all-clients --all-engines -vv --durations=0", True),
        ("--all-engines", False),
        ("--all-clients --all-engines -k items", False),
        ("--all-clients --all-engines tests/api", False),
        ("--all-clients --all-engines --engine=postgres", False),
    ],
)
def test_full_runs(arguments, full):
    assert is_full(arguments.split()) is full


@pytest.fixture
def git(tmp_path):
    """A repository with one commit: the fixture runs a command in it."""

    def run(*arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        command = ["git", "-C", str(tmp_path), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    (tmp_path / "tests/power").mkdir(parents=True)
    (tmp_path / "tests/power/test_power_cuts.py").write_text("")
    (tmp_path / "README.md").write_text("")
    (tmp_path / ".ci").mkdir()
    run("init", "-q")
    run("add", ".")
    run("commit", "-qm", "one")
    return run


def test_without_a_record_or_its_commit_all_tests_run(git, tmp_path):
    assert list(runs(tmp_path)) == ["all"]
    assert record("f" * 40, FLAGS, tmp_path)
    assert list(runs(tmp_path)) == ["all"]


def test_changes_since_the_recorded_commit_choose(git, tmp_path):
    assert record(commit_of(tmp_path), FLAGS, tmp_path)
    assert list(runs(tmp_path)) == []
    (tmp_path / "src/hashrange/tables").mkdir(parents=True)
    (tmp_path / "src/hashrange/tables/new.py").write_text("")
    assert list(runs(tmp_path)) == ["tests/power/test_power_cuts.py"]
    git("add", "src")
    git("commit", "-qm", "two")
    assert list(runs(tmp_path)) == ["tests/power/test_power_cuts.py"]


# In a checkout of one commit, and in a copy without a repository, nothing is known.
def test_without_the_history_all_tests_run(git, tmp_path):
    assert record(commit_of(tmp_path), FLAGS, tmp_path)
    git("commit", "--allow-empty", "-qm", "two")
    shallow = tmp_path / "shallow"
    git("clone", "-q", "--depth=1", tmp_path.as_uri(), str(shallow))
    shutil.copytree(tmp_path / ".ci", shallow / ".ci", dirs_exist_ok=True)
    assert list(runs(shallow)) == ["all"]
    shutil.rmtree(tmp_path / ".git")
    assert list(runs(tmp_path)) == ["all"]


def test_only_a_full_run_of_a_commit_is_recorded(git, tmp_path):
    assert not record(commit_of(tmp_path), {"--all-engines"}, tmp_path)
    (tmp_path / "README.md").write_text("changed")
    assert not record(commit_of(tmp_path), FLAGS, tmp_path)
    assert not (tmp_path / FULL_RUN).exists()
