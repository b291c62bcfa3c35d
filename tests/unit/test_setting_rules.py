"""Rules of faults and latencies, as an operator writes them."""

import pytest

from hashrange.limits.server import REALISM_RULES_MAX
from hashrange.settings.rules import (
    FaultRule,
    LatencyRule,
    duration_ms,
    fault_rules,
    interval_ms,
    latency_rules,
)
from hashrange.settings.sources import load
from hashrange.settings.texts import SettingError
from tests.rows import rows


def test_rules_of_faults_are_separated_by_semicolons():
    text = "PutItem:orders:0.01:ThrottlingException; *:*:1:InternalServerError;"
    assert fault_rules(text) == (
        FaultRule(
            operation="PutItem", table="orders", probability=0.01, error="ThrottlingException"
        ),
        FaultRule(operation="*", table="*", probability=1, error="InternalServerError"),
    )


def test_a_latency_without_p99_is_constant():
    assert latency_rules("GetItem:p50=5ms,p99=0.04s;*:p50=7") == (
        LatencyRule(operation="GetItem", p50_ms=5, p99_ms=40),
        LatencyRule(operation="*", p50_ms=7, p99_ms=7),
    )


@rows(
    "text",
    [
        "",
        ";",
        "PutItem:orders:0.01",
        "PutItem:orders:1.5:ThrottlingException",
        "PutItem:orders:-1:ThrottlingException",
        "PutItem:o:1:ThrottlingException",
        "PutItem:orders:nan:ThrottlingException",
        "Put Item:orders:1:ThrottlingException",
        ";".join(["*:*:1:ThrottlingException"] * (REALISM_RULES_MAX + 1)),
    ],
)
def test_other_rules_of_faults_are_refused(text):
    with pytest.raises(ValueError, match=r"OPERATION:TABLE:PROBABILITY:ERROR|rules"):
        fault_rules(text)


@rows(
    "text",
    [
        "GetItem",
        "GetItem:p50=",
        "GetItem:p99=5ms",
        "GetItem:p50=5ms,p50=6ms",
        "GetItem:p50=50ms,p99=5ms",
        "GetItem:p50=0,p99=5ms",
        "GetItem:p50=1ms,p99=61s",
        "GetItem:p50=5h",
        "GetItem:p50=5ms,max=3",
    ],
)
def test_other_rules_of_latencies_are_refused(text):
    with pytest.raises(ValueError, match=r"p50|duration"):
        latency_rules(text)


@pytest.mark.parametrize(("text", "ms"), [("40", 40), ("40ms", 40), ("1.5s", 1500), ("0", 0)])
def test_durations(text, ms):
    assert duration_ms(text) == ms


@pytest.mark.parametrize("text", ["", "-1", "5m", "1e9", "1..5s", "\u0665", "inf"])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match="duration"):
        duration_ms(text)


@pytest.mark.parametrize(("text", "ms"), [("30m", 1_800_000), ("6h", 21_600_000), ("1m", 60_000)])
def test_intervals(text, ms):
    assert interval_ms(text) == ms


# Work at an interval of nothing would never end.
@pytest.mark.parametrize("text", ["", "0m", "00h", "-1h", "6", "1.5h", "\u0665m"])
def test_what_is_no_interval(text):
    with pytest.raises(ValueError, match="interval"):
        interval_ms(text)


def test_a_settings_file_may_list_rules(tmp_path):
    path = tmp_path / "hashrange.toml"
    path.write_text('fault = ["*:*:1:InternalServerError", "*:orders:0.5:ThrottlingException"]')
    rules = fault_rules(load({}, {}, config=str(path)).fault)
    assert [rule.table for rule in rules] == ["*", "orders"]


# A reader would not know what another one has written.
def test_lag_is_not_for_several_processes():
    with pytest.raises(SettingError, match="--replica-lag cannot be combined with --workers"):
        load({"replica_lag": "5", "workers": "2"}, {})


@pytest.mark.parametrize("text", ["0", "2h", "3601s"])
def test_lags_out_of_bounds(text):
    with pytest.raises(SettingError, match="--replica-lag"):
        load({"replica_lag": text}, {})


def test_a_collector_of_traces_has_a_url():
    assert load({"traces_to": "https://collector:4318/base"}, {}).traces_to is not None
    for text in ("127.0.0.1:4318", "ftp://collector", "http://", "http://collector?x=1"):
        with pytest.raises(SettingError, match="a URL as"):
            load({"traces_to": text}, {})
