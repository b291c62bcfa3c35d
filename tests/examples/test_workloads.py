"""Each workload of examples/ shows what the literature says of it, and has a chart."""

import re
from functools import cache
from pathlib import Path

import pytest

from hashrange.capacity.simulation.simulator import simulate
from hashrange.capacity.simulation.workload import parsed
from hashrange.cli.commands import main

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "workloads"
NAMES = sorted(path.stem for path in FOLDER.glob("*.toml"))
PARTITION_WRITES = "TableWriteKeyRangeThroughputExceeded"


@cache
def result(name):
    return simulate(parsed((FOLDER / f"{name}.toml").read_text("utf-8")))


def rates(name, place="table"):
    """Written units a second in each minute."""
    return [minute.write_units / 60 for minute in result(name).places[place]]


def shares(name, traffic):
    """The share of the requests of each minute that was throttled."""
    return [each.throttled / max(1, each.requests) for each in result(name).traffic[traffic]]


# Its item is in one partition, and no split changes that.
@pytest.mark.long
def test_a_celebrity_stays_at_a_thousand_writes():
    found = result("celebrity")
    assert set(found.throttled("table")) == {PARTITION_WRITES}
    # 1,800 a second are for the post, 200 for all others, which a split has freed.
    assert shares("celebrity", "likes")[-1] == pytest.approx(800 / 2000, abs=0.01)
    assert rates("celebrity")[-1] == pytest.approx(1200, rel=0.01)
    assert [split.reason for split in found.splits] == ["HEAT"]


@pytest.mark.long
def test_a_date_stays_at_a_thousand_writes():
    assert set(result("date_as_key").throttled("table")) == {PARTITION_WRITES}
    assert rates("date_as_key")[-1] == pytest.approx(1000, rel=0.01)
    assert len(result("date_as_key").splits) == 1, "isolated, and then no split helps"


def test_ten_shards_take_all():
    assert result("sharded_date").total("events").throttled == 0
    assert rates("sharded_date")[-1] == 1500


@pytest.mark.long
def test_an_index_of_few_keys_throttles_its_table():
    found = result("low_cardinality_index")
    assert found.throttled("table") == {}
    assert set(found.throttled("by_status")) == {"IndexWriteKeyRangeThroughputExceeded"}
    assert shares("low_cardinality_index", "orders")[-1] == pytest.approx(1 / 3, abs=0.02)
    assert found.total("look up").throttled == 0, "reads are limited apart"


# 4,000 at once; twice the peak half an hour later; all of it in the end.
@pytest.mark.long
def test_a_launch_on_demand_grows_within_the_hour():
    throttled = shares("on_demand_launch", "sign-ups")
    assert throttled[:13] == [0.0] * 13
    assert max(throttled[14:50]) > 0.4
    assert throttled[60:] == [0.0] * 30
    assert rates("on_demand_launch")[16] == pytest.approx(4000, rel=0.05)
    assert result("on_demand_launch").partitions["table"] == 4
    assert result("on_demand_launch").places["table"][-1].partitions >= 10


@pytest.mark.long
def test_a_warmed_table_takes_the_launch():
    assert result("warmed_launch").total("sign-ups").throttled == 0
    assert result("warmed_launch").partitions["table"] == 12


# 300 s times 100 units, at 300 more than flow in: 100 s.
def test_a_burst_lasts_as_long_as_it_was_saved_for():
    assert rates("burst_after_idle")[10] == pytest.approx(400, rel=0.01)
    assert rates("burst_after_idle")[11] == pytest.approx((400 * 40 + 100 * 20) / 60, rel=0.02)
    assert rates("burst_after_idle")[12:] == pytest.approx([100.0] * 8, rel=0.01)
    reason = "TableWriteProvisionedThroughputExceeded"
    assert set(result("burst_after_idle").throttled("table")) == {reason}


@pytest.mark.long
def test_a_scheduled_action_is_there_before_the_rise():
    assert result("auto_scaling").total("orders").throttled == 0
    text = (FOLDER / "auto_scaling.toml").read_text("utf-8")
    without = re.sub(r"\[\[table.scaling.write.actions\]\][^\[]*", "", text)
    late = simulate(parsed(without.replace("21600", "9000")))
    assert 0 < late.total("orders").throttled < 5000
    assert max(event.after for event in late.scaling) == 429


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_chart_and_a_place_on_the_page(name):
    assert (FOLDER / f"{name}.svg").read_text("utf-8").startswith("<?xml")
    page = (FOLDER.parents[1] / "docs" / "simulate.md").read_text("utf-8")
    assert f"(../examples/workloads/{name}.toml)" in page
    assert f"(../examples/workloads/{name}.svg)" in page


@pytest.mark.long
def test_the_page_shows_what_is_printed(capsys):
    page = (FOLDER.parents[1] / "docs" / "simulate.md").read_text("utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["simulate", str(FOLDER / "celebrity.toml")])
    assert not ended.value.code
    assert f"```text\n{capsys.readouterr().out}```" in page


def test_each_workload_is_looked_at():
    looked_at = set(re.findall(r'result\("(\w+)"\)', Path(__file__).read_text("utf-8")))
    assert looked_at == set(NAMES)
