"""The projects of `hashrange new`: their models, programs, tests and templates work."""

import json
import os
import subprocess
import sys

import pytest

from hashrange.cli.commands import main
from hashrange.tools.models.table_parts import key_types
from hashrange.tools.templates.calls import calls_of
from hashrange.tools.templates.projects import TEMPLATES, model_of_template, project_of
from hashrange.tools.templates.python_code import function_name
from tests.pace import seconds
from tests.served import served

QUICK = {"ledger"}
EACH = [pytest.param(name, marks=[pytest.mark.long] * (name not in QUICK)) for name in TEMPLATES]


@pytest.fixture(scope="module")
def endpoint():
    with served(namespaces="separate") as server:
        yield server.endpoint


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """A folder with all projects."""
    place = tmp_path_factory.mktemp("projects")
    for name in TEMPLATES:
        (place / name).mkdir()
        for file, text in project_of(name).items():
            (place / name / file).write_text(text, "utf-8")
    return place


def ran(place, *words, given=None):
    """What a program of a project prints; pytest is told nothing of this run of pytest."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ended = subprocess.run(
        [sys.executable, *words],
        cwd=place,
        env={**kept, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"},
        input=given,
        capture_output=True,
        text=True,
        timeout=seconds(100),
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


# A template is what people copy: nothing in it is an error, or a warning that it does not explain.
@pytest.mark.parametrize("name", TEMPLATES)
def test_the_check_of_a_model_finds_nothing(name, projects, endpoint, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["check", str(projects / name / "model.toml"), "--endpoint", endpoint, "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["findings"] == []
    assert not ended.value.code
    assert all(each["status"] == "ok" for each in report["patterns"])


@pytest.mark.parametrize("name", EACH)
def test_the_program_runs_each_read_and_finds_something(name, projects, endpoint):
    place = projects / name
    lines = ran(place, "main.py", endpoint).splitlines()
    found = dict(line.split(": ", 1) for line in lines)
    reads = [call.pattern.name for call in calls_of(model_of_template(name)) if call.is_read]
    assert [line.split(": ")[0] for line in lines[: len(reads)]] == reads
    assert not [each for each in reads if found[each] == "nothing"]


@pytest.mark.parametrize("name", EACH)
def test_generated_items_are_the_same_and_can_be_loaded(name, projects, endpoint, tmp_path):
    request = model_of_template(name).tables[0].request
    keys = [each["AttributeName"] for each in request["KeySchema"]]
    printed = [ran(projects / name, "seed.py", "--items", "300", "--seed", "7") for _ in range(2)]
    assert printed[0] == printed[1]
    items = [json.loads(line) for line in printed[0].splitlines()]
    assert len({tuple(item[key] for key in keys) for item in items}) == 300
    file = tmp_path / "items.jsonl"
    file.write_text(printed[0])
    create = ",".join(f"{key}:{key_types(request)[key]}" for key in keys)
    words = ["load", f"seeded-{name}", str(file), "--create", create, "--endpoint", endpoint]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert not ended.value.code


@pytest.mark.long
@pytest.mark.parametrize("name", EACH)
def test_its_tests_pass(name, projects, endpoint):
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--dynamodb-endpoint", endpoint]
    printed = ran(projects / name, "-m", "pytest", *options)
    tested = len(calls_of(model_of_template(name)))
    assert int(printed.splitlines()[-1].split()[0]) > tested


# The programs are examples of style too.
def test_programs_are_formatted(projects):
    ruff = [sys.executable, "-m", "ruff"]
    rules = "--select=E,F,W,I,B,UP,SIM,C4,PT"
    own = 'lint.isort.known-first-party=["dynamo", "fields", "patterns", "workflows"]'
    check = ["check", "--isolated", rules, "--config", own]
    for words in (["format", "--check", "--isolated"], check):
        ended = subprocess.run(
            [*ruff, *words, "--line-length=100", str(projects)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", EACH)
def test_cfn_lint_finds_nothing(name):
    from cfnlint.api import lint  # noqa: PLC0415 - a second, in each process that collects

    assert [str(each) for each in lint(project_of(name)["template.yaml"])] == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_pattern_has_a_function(name):
    model, files = model_of_template(name), project_of(name)
    made = [function_name(call.pattern.name) for call in calls_of(model)]
    assert len({*made}) == len(made)
    others = [each for each in model.patterns if function_name(each.name) not in made]
    assert all(each.request or each.operation.startswith("Batch") for each in others)
    for function in made:
        assert f"def {function}(" in files["patterns.py"]
        assert f"def test_{function}(" in files["test_patterns.py"]
