"""The notebook of docs/ answers its three questions, and plots them."""

import json

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from tests.house.sources import ROOT

NOTEBOOK = json.loads((ROOT / "docs" / "analytics.ipynb").read_text("utf-8"))


@pytest.fixture
def plots():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.mark.long
def test_the_notebook_runs_from_top_to_bottom(plots):
    codes = ["".join(each["source"]) for each in NOTEBOOK["cells"] if each["cell_type"] == "code"]
    names = {}
    try:
        for number, code in enumerate(codes):
            exec(compile(code, f"cell {number}", "exec"), names)
    finally:
        names["server"].stop()
    assert names["books"] == {"entries": "1800", "total": "0.00"}
    balances = {row["account"]: row["balance"] for row in names["turnover"]}
    assert balances.keys() == set(names["accounts"])
    assert balances["fees"] == "600.00"
    assert {row["device"]: (row["longest"], row["gaps"]) for row in names["gaps"]} == {
        **{f"d{number}": ("10", "0") for number in range(8)},
        "d2": ("20", "17"),
        "d5": ("610", "1"),
    }
    assert [row["country"] for row in names["ranks"]] == ["NO", "IT", "FR"]
    assert sum(int(row["players"]) for row in names["ranks"]) == 400
    titles = [plt.figure(number).axes[0].get_title() for number in plt.get_fignums()]
    assert titles == ["1800 entries, whose sum is 0.00", "Devices that were silent", "400 players"]


def test_the_notebook_has_no_outputs():
    assert not any(each.get("outputs") for each in NOTEBOOK["cells"])
