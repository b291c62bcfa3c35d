"""The action of GitHub: its steps, run by bash as a runner does."""

import os
import re
import signal
from pathlib import Path

import boto3
import pytest
import yaml

from tests.clients.programs import run_program
from tests.pace import seconds

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ ([\w.]+) \}\}")
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"
BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
INSTALL_SECONDS_MAX = seconds(250)
pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


def run_steps(place, environment, steps=STEPS, **inputs):
    """Runs the steps up to the first that fails: its output, and what they wrote for later ones."""
    values = {f"inputs.{name}": each["default"] for name, each in ACTION["inputs"].items()}
    values |= {f"inputs.{name}": text for name, text in inputs.items()}
    values["github.action_path"] = str(ROOT)
    files = {name: place / name for name in ("GITHUB_ENV", "GITHUB_OUTPUT")}
    runner = {**environment, "RUNNER_TEMP": str(place)}
    runner |= {name: str(path) for name, path in files.items()}

    def filled(text):
        while EXPRESSION.search(text):
            text = EXPRESSION.sub(lambda found: values[found[1]], text)
        return text

    for step in steps:
        variables = {name: filled(text) for name, text in step["env"].items()}
        assert not EXPRESSION.search(step["run"]), "texts of others become variables, not code"
        ended = run_program(
            [*BASH, step["run"]], {**runner, **variables}, place, INSTALL_SECONDS_MAX
        )
        if ended.returncode:
            return ended.stderr, {}
    lines = "".join(path.read_text("utf-8") for path in files.values()).splitlines()
    return None, dict(line.split("=", 1) for line in lines)


def test_it_has_what_a_composite_action_needs():
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(ACTION)
    assert ACTION["runs"]["using"] == "composite"
    assert all({"name", "shell", "run", "env"} <= set(step) for step in STEPS)
    assert all(each["description"] for each in ACTION["inputs"].values())
    identified = {step["id"] for step in STEPS if "id" in step}
    for output in ACTION["outputs"].values():
        assert EXPRESSION.search(output["value"])[1].split(".")[1] in identified


def test_later_steps_have_a_server(tmp_path, environment):
    failure, told = run_steps(
        tmp_path, environment, port="0", options="--delay-transient-statuses --log-level warning"
    )
    try:
        assert failure is None
        client = boto3.client(
            "dynamodb",
            endpoint_url=told["AWS_ENDPOINT_URL_DYNAMODB"],
            region_name=told["AWS_REGION"],
            aws_access_key_id=told["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=told["AWS_SECRET_ACCESS_KEY"],
        )
        assert told["endpoint"] == told["TEST_HASHRANGE_ENDPOINT"]
        assert client.list_tables()["TableNames"] == []
        client.close()
    finally:
        os.kill(int((tmp_path / "hashrange.pid").read_text()), signal.SIGTERM)
    # A server that does not start fails the step, with its reason.
    failure, _ = run_steps(tmp_path, environment, STEPS[1:], port="0", options="--no-such-option")
    assert "--no-such-option" in failure


# Of a workflow that uses the action as the page shows.
@pytest.mark.toolchain("go")
def test_nothing_is_wrong_in_it_and_in_the_page(tmp_path, environment):
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    shown = re.search(r"```yaml\n(steps:\n.*?)```", page, re.DOTALL)[1]
    steps = yaml.safe_load(
        shown.replace(".hashrange }", "action }").replace("./.hashrange", "./action")
    )
    workflow = {"on": "push", "jobs": {"test": {"runs-on": "ubuntu-latest", **steps}}}
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "test.yml").write_text(yaml.safe_dump(workflow))
    (tmp_path / "action").mkdir()
    (tmp_path / "action" / "action.yml").write_text((ROOT / "action.yml").read_text("utf-8"))
    (tmp_path / ".git").mkdir()
    ended = run_program(["go", "run", ACTIONLINT], environment, tmp_path, INSTALL_SECONDS_MAX)
    assert (ended.returncode, ended.stdout) == (0, "")
