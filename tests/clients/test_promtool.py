"""The alerts of examples/monitoring, tried by Prometheus itself."""

import subprocess

import pytest

from tests.house.sources import ROOT

MONITORING = ROOT / "examples" / "monitoring"

pytestmark = pytest.mark.toolchain("promtool")


@pytest.mark.parametrize(
    "arguments",
    [("check", "config", "prometheus.yml"), ("test", "rules", "alerts-test.yml")],
    ids=lambda arguments: arguments[0],
)
def test_prometheus_takes_the_files(arguments):
    ran = subprocess.run(
        ["promtool", *arguments], cwd=MONITORING, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
