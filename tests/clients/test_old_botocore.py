"""A botocore whose model of CloudWatch has the query protocol alone: `python/` has its program."""

import json
import sys

import pytest

from tests.clients.conftest import PYTHON, install
from tests.clients.programs import run_program
from tests.served import served

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]  # installs a package


def test_metrics_alarms_and_dashboards(environment, tmp_path):
    install("old_botocore.txt", str(tmp_path), environment)
    with served(memory=True) as server:
        command = [sys.executable, str(PYTHON / "with_old_botocore.py"), server.endpoint]
        ended = run_program(command, environment | {"PYTHONPATH": str(tmp_path)})
    assert ended.returncode == 0, ended.stderr
    seen = json.loads(ended.stdout)
    assert (seen.pop("version"), seen.pop("protocol")) == ("1.31.85", "query")
    dimensions = [{"Name": "Host", "Value": "a"}]
    metric = {"Namespace": "Old", "MetricName": "Latency", "Dimensions": dimensions}
    alarm = seen.pop("alarm")
    assert alarm[0] == 2.5
    assert alarm[1] in {"INSUFFICIENT_DATA", "OK"}
    assert seen == {
        "metrics": [metric],
        "statistics": [[4.0, 3.0, "None"]],
        "queried": {"m": [2.0], "e": [4.0]},
        "tags": [{"Key": "team", "Value": "a"}],
        "dashboards": ["old"],
        "refused": "ResourceNotFound",
    }
