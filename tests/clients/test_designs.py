"""What `hashrange design` writes makes the table, by the programs that people run it with.

Programs of the CDK are synthesised with the packages of npm and PyPI, and the templates are read
back. Scripts and configurations of Terraform run against the server.
"""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from hashrange.tools.design.choices import Choices, definition_of
from hashrange.tools.design.designs import OUTPUTS, design_of
from hashrange.tools.design.steps import steps_of
from tests.clients.programs import run_program
from tests.clients.test_terraform import CLI, PLUGINS, SHOWN, guarded
from tests.pace import seconds
from tests.unit.processes import run
from tests.unit.tools.design.stacks import Stack, normal

CDK = Path(__file__).parent / "cdk"
SECONDS_MAX = seconds(300)
FULL = Choices(
    table_name="shop.2",
    partition_key="it's:S",
    sort_key="sk:N",
    gsi=("g-1:sk:N", "g.1:q\u00e9:B:r:S:KEYS_ONLY", "g_1:a:S:INCLUDE:b,c"),
    lsi=("own:x:B:INCLUDE:y,z",),
    ttl='"at"',
    stream="KEYS_ONLY",
    pitr=3,
    table_class="STANDARD_INFREQUENT_ACCESS",
    deletion_protection=True,
    insights=True,
    alarms=True,
    auto_scaling="2:20:60",
    tags=("team=a b", "empty="),
)
CHOICES = {
    "least": Choices(table_name="shop", partition_key="pk:S"),
    "production": Choices(table_name="shop", production=True),
    "full": FULL,
}
SILENT = {
    "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "1",
    "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION": "1",
}


def designed(name):
    return design_of(definition_of(CHOICES[name]))


def requests_of(name):
    steps = steps_of(designed(name).definition)
    return {comparable(normal(each.service, each.operation, each.request)) for each in steps}


def comparable(text):
    """A request without what the CDK chooses itself: ids of metrics, and labels."""
    service, operation, members = json.loads(text)
    if operation == "CreateTable":
        members.setdefault("BillingMode", "PROVISIONED")
    for metric in members.get("Metrics", ()):
        metric.pop("Id")
        metric.pop("Label", None)
    members["Metrics"] = sorted(members.get("Metrics", ()), key=json.dumps)
    return json.dumps([service, operation, members], sort_keys=True)


def synthesised(place):
    """The requests of the only template in a folder."""
    (file,) = place.glob("*.template.json")
    stack = Stack(json.loads(file.read_text("utf-8")))
    return {comparable(each) for each in stack.requests()}


@pytest.fixture(scope="module")
def node_place(environment, tmp_path_factory):
    place = tmp_path_factory.mktemp("cdk")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(CDK / name, place)
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = run_program(command, environment, place, SECONDS_MAX)
    assert installed.returncode == 0, installed.stderr
    return place


@pytest.mark.long
@pytest.mark.toolchain("node", "npm")
@pytest.mark.timeout(900)
def test_typescript_makes_the_same_tables(node_place, environment):
    for name in CHOICES:
        text = OUTPUTS["cdk-typescript"](designed(name))
        (node_place / f"{name}.ts").write_text(text, "utf-8")
    options = ["--strict", "--target", "es2022", "--module", "commonjs", "--skipLibCheck"]
    command = ["npx", "tsc", *options, *(f"{name}.ts" for name in CHOICES)]
    compiled = run_program(command, environment, node_place, SECONDS_MAX)
    assert compiled.returncode == 0, compiled.stdout
    for name in CHOICES:
        variables = {**environment, "CDK_OUTDIR": str(node_place / name)}
        ended = run_program(["node", f"{name}.js"], variables, node_place)
        assert ended.returncode == 0, ended.stderr
        assert synthesised(node_place / name) == requests_of(name)


@pytest.fixture(scope="module")
def python_place(environment, tmp_path_factory):
    place = tmp_path_factory.mktemp("cdk-python")
    uv = ["uv", "pip", "install", "--python", sys.executable]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
    command = [*(uv if shutil.which("uv") else pip), "--quiet", "--target", str(place)]
    requirements = ["-r", str(CDK / "requirements.txt")]
    installed = run_program([*command, *requirements], environment, None, SECONDS_MAX)
    assert installed.returncode == 0, installed.stderr
    return place


@pytest.mark.long
@pytest.mark.toolchain("node")
@pytest.mark.timeout(900)
def test_python_makes_the_same_tables(python_place, environment, tmp_path):
    variables = {**environment, **SILENT, "PYTHONPATH": str(python_place)}
    for name in CHOICES:
        program = tmp_path / f"{name}.py"
        program.write_text(OUTPUTS["cdk-python"](designed(name)), "utf-8")
        output = {"CDK_OUTDIR": str(tmp_path / name)}
        ended = run_program([sys.executable, str(program)], variables | output)
        assert ended.returncode == 0, ended.stderr
        assert synthesised(tmp_path / name) == requests_of(name)


def described(endpoint, name):
    found = run("describe", name, "--json", "--endpoint", endpoint)
    assert found.returncode == 0, found.stderr
    definition = json.loads(found.stdout)
    definition["request"].pop("TableName")
    return definition


@pytest.mark.long
@pytest.mark.parametrize("output", ["aws-cli", "boto3"])
def test_script_makes_the_table(output, endpoint, environment, tmp_path):
    name = f"script.{output}"
    own = ("--table-name", name, "--production")
    script = tmp_path / "script"
    script.write_text(run("design", *own, "--output", output).stdout, "utf-8")
    variables = {
        **environment,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]]),
        "AWS_ENDPOINT_URL": endpoint,
    }
    program = "sh" if output == "aws-cli" else sys.executable
    ended = run_program([program, str(script)], variables, tmp_path, SECONDS_MAX)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    other = f"applied.{output}"
    applied = run(
        "design", "--table-name", other, "--production", "--apply", "--endpoint", endpoint
    )
    assert applied.returncode == 0, applied.stderr
    assert described(endpoint, name) == described(endpoint, other)


@pytest.mark.long
@pytest.mark.skipif(not PLUGINS, reason="TERRAFORM_PLUGINS names no mirror of providers")
@pytest.mark.timeout(900)
def test_terraform_makes_the_table(environment, tmp_path):
    own = ("--table-name", "terraform", "--production")
    text = run("design", *own, "--output", "terraform").stdout
    (tmp_path / "main.tf").write_text(text, "utf-8")
    (tmp_path / "cli.tfrc").write_text(CLI % PLUGINS)
    with guarded(tmp_path) as (endpoint, keys):
        services = dict.fromkeys(
            ("dynamodb", "appautoscaling", "cloudwatch", "iam", "sts"), endpoint
        )
        lines = "".join(f'    {name} = "{url}"\n' for name, url in services.items())
        provider = f'provider "aws" {{\n  region = "us-east-1"\n  endpoints {{\n{lines}  }}\n}}\n'
        (tmp_path / "provider.tf").write_text(provider)
        variables = {**environment, **keys, "TF_CLI_CONFIG_FILE": str(tmp_path / "cli.tfrc")}

        def terraform(*arguments):
            done = run_program(["terraform", *arguments], variables, tmp_path, SECONDS_MAX)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

        terraform("fmt", "-check", "main.tf")
        terraform("init", *SHOWN)
        terraform("apply", "-auto-approve", *SHOWN)
        terraform("plan", "-detailed-exitcode", *SHOWN)
        other = ("--table-name", "applied", "--production", "--apply", "--endpoint", endpoint)
        run("design", *other, **keys)
        found = [
            json.loads(run("describe", name, "--json", "--endpoint", endpoint, **keys).stdout)
            for name in ("terraform", "applied")
        ]
    for each in found:
        each["request"].pop("TableName")
    assert found[0] == found[1]
