"""`hashrange simulate`: what it prints, what it writes, and how it refuses."""

import json

import pytest

from hashrange.cli.commands import main
from tests.unit.capacity.simulation.test_simulator import SMALL


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
    found = json.loads(printed)
    assert len(found["places"]["table"]) == 2
    assert found["costs"]["bill"]["cheapest"] == "reserved_3_years"
    assert found["prices"]["region"] == "us-east-1"


def test_costs_of_the_run_and_of_months(run, workload):
    (one,), (twelve,) = [
        [
            line.split()
            for line in run(workload, "--months", months)[1].splitlines()
            if "on demand  " in line
        ][:1]
        for months in ("1", "12")
    ]
    assert one[2] == twelve[2]
    assert float(twelve[3].replace(",", "")) > 11 * float(one[3].replace(",", ""))
    assert "as it was provisioned" in run(workload)[1]


# Prices of the file of the workload go before those of --prices.
def test_other_prices(run, tmp_path):
    path, prices = tmp_path / "small.toml", tmp_path / "prices.toml"
    path.write_text(SMALL.replace("600", "60") + "[prices]\nstorage_gb_month = 0\n")
    prices.write_text(
        'region = "x"\ndate = 2026-01-01\n[prices]\n'
        'on_demand_write_million = { usd = 1000, source = "" }\n'
        'on_demand_read_million = { usd = 0, source = "" }\n'
    )
    costs = json.loads(run(path, "--prices", prices, "--json")[1])["costs"]
    assert costs["run"]["on_demand"] > 5
    assert costs["run"]["provisioned"] is None


def test_a_new_workload_can_be_simulated(run, tmp_path):
    path = tmp_path / "new.toml"
    code, printed, _errors = run("--new")
    path.write_text(printed.replace("seconds = 3600 ", "seconds = 60 "))
    assert code == 0
    assert run(path)[0] == 0


# Matplotlib is missing before the minutes of a long simulation, not after them.
def test_a_chart_without_matplotlib_prints_nothing(run, workload, tmp_path, without):
    without("matplotlib")
    code, printed, errors = run("--chart", tmp_path / "a.svg", workload)
    assert (code, printed) == (1, "")
    assert errors.startswith("hashrange: Charts need matplotlib, which is not installed: ")


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
    missing = tmp_path / "none.toml"
    assert run(missing) == (2, "", f"hashrange: {missing}: No such file or directory\n")
    assert "give a WORKLOAD.toml, or --new" in run()[2]
    assert run("--new", workload)[0] == 2
    assert run("--chart", "a.pdf", workload)[2] == "hashrange: a.pdf: a chart is .png or .svg\n"
    code, _printed, errors = run("--chart", tmp_path / "no" / "a.svg", workload)
    assert code == 1
    assert errors.startswith("hashrange: ")
    (tmp_path / "large.toml").write_bytes(b"#" * (1024 * 1024 + 1))
    assert "larger than" in run(tmp_path / "large.toml")[2]
    (tmp_path / "binary.toml").write_bytes(b"\xff")
    assert run(tmp_path / "binary.toml")[0] == 2
