"""Charts are written by the name of their file, and say what they show."""

import sys

import pytest

from hashrange.capacity.simulation.charts import MATPLOTLIB, draw
from hashrange.capacity.simulation.simulator import simulate
from hashrange.capacity.simulation.workload import parsed
from hashrange.optional_packages import MissingPackageError, install_command
from tests.unit.capacity.simulation.test_simulator import SMALL


@pytest.fixture(scope="module")
def result():
    return simulate(parsed(SMALL.replace("600", "180")))


def test_svg(result, tmp_path):
    draw(result, tmp_path / "a.svg")
    draw(result, tmp_path / "b.svg")
    text = (tmp_path / "a.svg").read_text("utf-8")
    for label in (
        "Small",
        "index by_day",
        "writes throttled",
        "write units a second",
        "partitions",
    ):
        assert f">{label}<" in text, label
    assert (tmp_path / "b.svg").read_text("utf-8") == text


def test_png(result, tmp_path):
    draw(result, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")


# hashrange is not on PyPI, so the extra's name would not help; and a pip of the system would
# install into another place.
def test_without_matplotlib_the_text_says_how_to_install_it(result, tmp_path, without):
    without("matplotlib")
    with pytest.raises(MissingPackageError) as told:
        draw(result, tmp_path / "a.png")
    assert str(told.value) == (
        f"Charts need matplotlib, which is not installed: {install_command(MATPLOTLIB)}"
    )


def test_an_environment_without_pip(without):
    without("pip")
    assert install_command("croniter>=6") == (
        f"uv pip install --python {sys.executable} 'croniter>=6'"
    )
