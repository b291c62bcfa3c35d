"""`hashrange simulate`: what it prints, what it writes, and how it refuses."""

import json

import pytest

from hashrange.cli.commands import main
from tests.unit.simulation.test_simulator import SMALL


@pytest.fixture
def run(capsys):
    """Runs the command line; gives the exit code, and what it printed."""

    def running(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["simulate", *map(str, arguments)])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return running


@pytest.fixture
def workload(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace("600", "120"))
    return path


def test_it_prints_the_report(run, workload):
    code, printed, _errors = run(workload)
    assert code == 0
    assert printed.startswith("Small: 120 s\n\nRequests ")


def test_json_has_all_minutes(run, workload):
    code, printed, _errors = run("--json", workload)
    assert code == 0
    assert len(json.loads(printed)["places"]["table"]) == 2


def test_charts(run, workload, tmp_path):
    code, _printed, _errors = run(
        "--chart", tmp_path / "a.svg", "--chart", tmp_path / "a.png", workload
    )
    assert code == 0
    assert (tmp_path / "a.svg").exists()
    assert (tmp_path / "a.png").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SMALL.replace("put", "pot"), "operation"),
        ("title = ", "Invalid value"),
        (SMALL + "[[table]]\n", "at line"),
    ],
)
def test_a_file_that_is_no_workload(run, tmp_path, text, told):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    code, printed, errors = run(path)
    assert (code, printed) == (2, "")
    assert errors.startswith(f"hashrange: {path}: ")
    assert told in errors
    assert len(errors.splitlines()) == 1


SCALED = "[table.scaling.write]\nmin = 1\nmax = 2\n[[table.scaling.write.actions]]\nschedule = "


@pytest.mark.parametrize("schedule", ["'daily'", "'at(never)'", "'rate(1)'"])
def test_a_schedule_that_is_none(run, tmp_path, schedule):
    path = tmp_path / "bad.toml"
    path.write_text(SMALL.replace("[indexes.by_day]", f"{SCALED}{schedule}\n[indexes.by_day]"))
    code, _printed, errors = run(path)
    assert code == 2
    assert errors.startswith(f"hashrange: {path}: invalid ")


def test_other_refusals(run, workload, tmp_path):
    assert run(tmp_path / "none.toml")[0] == 2
    assert run("--chart", "a.pdf", workload)[2] == "hashrange: a.pdf: a chart is .png or .svg\n"
    code, _printed, errors = run("--chart", tmp_path / "no" / "a.svg", workload)
    assert code == 1
    assert errors.startswith("hashrange: ")
    (tmp_path / "large.toml").write_bytes(b"#" * (1024 * 1024 + 1))
    assert "larger than" in run(tmp_path / "large.toml")[2]
    (tmp_path / "binary.toml").write_bytes(b"\xff")
    assert run(tmp_path / "binary.toml")[0] == 2
