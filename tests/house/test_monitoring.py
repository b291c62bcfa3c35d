"""The files of examples/monitoring name what /metrics has, and the pages list what they have."""

import json
import re

import pytest
import yaml

from tests.house.sources import ROOT

MONITORING = ROOT / "examples" / "monitoring"
PAGES = ("operating", "dax", "dax-clusters", "scale", "metrics")
FROM_PROMETHEUS = {"up"}
NAME = re.compile(r"\b(hashrange_\w+|process_\w+|up)\b")
MATCHERS = re.compile(r"\{.*?\}")
HISTOGRAM = re.compile(r"_(bucket|sum|count)$")


@pytest.fixture(scope="module")
def metrics():
    """The metrics that the pages list; tests/api/test_metrics.py compares these with a server."""
    text = "".join((ROOT / f"docs/{page}.md").read_text("utf-8") for page in PAGES)
    return {*re.findall(r"`((?:hashrange|process)_[a-z_]+)`", text), "hashrange_build_info"}


@pytest.fixture(scope="module")
def rules():
    groups = yaml.safe_load((MONITORING / "alerts.yml").read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.fixture(scope="module")
def dashboard():
    return json.loads((MONITORING / "dashboard.json").read_text("utf-8"))


def unknown(expression, metrics):
    names = {HISTOGRAM.sub("", name) for name in NAME.findall(MATCHERS.sub("", expression))}
    assert names, f"no metric in {expression}"
    return names - metrics - FROM_PROMETHEUS


def test_alerts_name_metrics_that_there_are(rules, metrics):
    found = {rule["alert"]: unknown(rule["expr"], metrics) for rule in rules}
    assert {name: names for name, names in found.items() if names} == {}


def test_each_alert_is_on_the_page_and_is_tried(rules):
    page = (ROOT / "docs/monitoring.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", page, re.MULTILINE)
    there = [
        (rule["alert"], rule["labels"]["severity"], rule["annotations"]["summary"])
        for rule in rules
    ]
    assert listed == there
    tests = yaml.safe_load((MONITORING / "alerts-test.yml").read_text("utf-8"))["tests"]
    tried = [case for test in tests for case in test["alert_rule_test"]]
    names = {rule["alert"] for rule in rules}
    assert {case["alertname"] for case in tried if case["exp_alerts"]} == names, "goes off"
    assert {case["alertname"] for case in tried if not case["exp_alerts"]} == names, "is quiet"


def test_panels_ask_for_metrics_that_there_are(dashboard, metrics):
    found = {
        panel["title"]: unknown(target["expr"], metrics)
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
    }
    assert {title: names for title, names in found.items() if names} == {}


# What Grafana needs to import a dashboard; a panel that overlaps another is moved without a word.
def test_the_dashboard_has_the_form_of_grafana(dashboard):
    assert dashboard["schemaVersion"] >= 36
    assert "id" not in dashboard, "Grafana would look for that one"
    variables = [each["name"] for each in dashboard["templating"]["list"]]
    assert variables == ["datasource", "instance"]
    numbers, cells = set(), set()
    for panel in dashboard["panels"]:
        assert panel["type"] in {"row", "stat", "timeseries"}
        assert panel["title"]
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        taken = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert panel["id"] not in numbers
        assert not taken & cells
        numbers.add(panel["id"])
        cells |= taken
        for target in panel.get("targets", ()):
            assert target["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
            assert target["expr"].count("(") == target["expr"].count(")")
            assert target["refId"]
