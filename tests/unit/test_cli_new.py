"""`hashrange new`: what it writes, what it prints, and what it refuses."""

import json

import pytest

from hashrange.cli.commands import main
from hashrange.tools.templates.projects import TEMPLATES


@pytest.fixture
def run(capsys):
    """Runs the command line; gives the exit code, and what it printed."""

    def running(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["new", *map(str, arguments)])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return running


def test_a_project_is_written(run, tmp_path):
    place = tmp_path / "deep" / "shop"
    code, printed, _errors = run("ecommerce", place)
    assert code == 0
    assert printed.startswith(f"{place}: 22 files of the template ecommerce.")
    names = {each.name for each in place.iterdir()}
    assert {"README.md", "model.toml", "template.yaml", "main.ts", "test_patterns.py"} <= names
    assert not [each for each in place.iterdir() if "{{" in each.read_text("utf-8")]


def test_an_empty_directory_is_taken(run, tmp_path):
    code, printed, _errors = run("Session store", tmp_path, "--json")
    written = json.loads(printed)
    assert (code, written["template"]) == (0, "session-store")
    assert written["files"] == sorted(each.name for each in tmp_path.iterdir())


# Somebody's files are never replaced.
def test_a_directory_with_files_is_refused(run, tmp_path):
    (tmp_path / "main.py").write_text("mine")
    code, _printed, errors = run("saas", tmp_path)
    assert (code, errors) == (2, f"hashrange: {tmp_path} exists and is not an empty directory\n")
    assert [each.name for each in tmp_path.iterdir()] == ["main.py"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["sas"], "no such template 'sas'; did you mean saas?"),
        (["blockchain"], "no such template 'blockchain'; hashrange new --list has them"),
        ([], "give a TEMPLATE; hashrange new --list has them"),
        (["saas", "--list"], "--list has no TEMPLATE"),
    ],
)
def test_bad_arguments_are_one_line(run, arguments, text):
    assert run(*arguments) == (2, "", f"hashrange: {text}\n")


def test_the_list_has_all_templates(run):
    _code, printed, _errors = run("--list")
    assert [line.split()[0] for line in printed.splitlines()] == list(TEMPLATES)
    _code, printed, _errors = run("--list", "--json")
    rows = {row["template"]: row for row in json.loads(printed)}
    assert list(rows) == list(TEMPLATES)
    assert (len(rows["saas"]["entities"]), len(rows["saas"]["patterns"])) == (8, 14)
