"""The steps of the Dockerfile, without Docker, which not every machine can run."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import boto3
import pytest
from packaging.requirements import Requirement

from tests.engines import postgres_server
from tests.pace import seconds

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
EXTRAS = re.search(r"^ARG EXTRAS=(\S+)$", DOCKERFILE, re.MULTILINE)[1]
BYTES_MAX = {"": 100_000_000, EXTRAS: 175_000_000}
"""On top of the base image, by the extras that are installed."""
ENDPOINT = re.compile(r"http://\S+")
pytestmark = pytest.mark.long  # installs the package into an environment of its own


def instructions(name):
    """The arguments of all instructions of that name, continued lines joined."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{name} (.+)$", joined, re.MULTILINE)


@pytest.fixture(scope="module", params=[EXTRAS, ""], ids=["whole", "slim"])
def extras(request):
    return request.param


@pytest.fixture(scope="module")
def installed(tmp_path_factory, extras):
    """What the build stage makes of what it copies."""
    place = tmp_path_factory.mktemp("image")
    source = place / "source"
    for line in instructions("COPY")[:-1]:
        *files, target = shlex.split(line)
        for file in files:
            to = source / target / (Path(file).name if target.endswith("/") else "")
            if (ROOT / file).is_dir():
                shutil.copytree(ROOT / file, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, to)
    # As in the base image: a Python with pip, first on the path.
    base = place / "base"
    subprocess.run([sys.executable, "-m", "venv", base], check=True)
    path = f"{base / 'bin'}:{os.environ['PATH']}"
    script = source / "container" / "install.sh"
    target = place / "hashrange"
    command = ["sh", script, source, target, extras]
    subprocess.run(command, env={**os.environ, "PATH": path}, check=True)
    return target


# An image is pulled on every machine and in every CI run: it must stay small.
def test_size(installed, extras):
    files = [path for path in installed.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < BYTES_MAX[extras]


# What the image runs, with the variables that it sets. Not as its user, who could not
# read a Python that stands in somebody's home.
def test_the_server_of_the_image(installed, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (variables,) = instructions("ENV")
    named = dict(pair.split("=", 1) for pair in shlex.split(variables))
    environment = {
        **named,
        "PATH": f"{installed / 'bin'}:{os.environ['PATH']}",
        "HASHRANGE_HOST": "127.0.0.1",  # a test listens nowhere else
        "HASHRANGE_PORT": "0",
        "HASHRANGE_DATA": str(data),
    }
    with subprocess.Popen(
        _command(installed), env=environment, cwd=data, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            endpoint = next(found[0] for line in server.stdout if (found := ENDPOINT.search(line)))
            environment["HASHRANGE_PORT"] = endpoint.rstrip("/").rpartition(":")[2]
            health = json.loads(instructions("HEALTHCHECK")[0].partition("CMD ")[2])
            program = [installed / "bin" / health[0], *health[1:]]
            assert subprocess.run(program, env=environment, check=False).returncode == 0
            assert _tables(endpoint) == []
        finally:
            server.send_signal(getattr(signal, instructions("STOPSIGNAL")[0]))
            assert server.wait(seconds(10)) == 0
    assert any(data.iterdir())


# Settings are all that a user of the image can change: the driver of each engine must be in it.
def test_the_image_has_the_driver_of_postgresql(installed):
    url = postgres_server.url_of("container")
    program = [installed / "bin" / "hashrange", "verify-engine", "--seconds", "0.1", url]
    told = subprocess.run(program, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert "meets the requirements" in told.stdout


# A user of the image can install nothing: access control, TLS and buckets must work as they are.
def test_settings_that_need_packages(installed, extras, tmp_path):
    environment = {
        "PATH": os.environ["PATH"],
        "HASHRANGE_PORT": "0",
        "HASHRANGE_DATA": str(tmp_path / "data"),
        "HASHRANGE_AUTH": "required",
        "HASHRANGE_TLS": "self-signed",
    }
    if extras:
        environment["HASHRANGE_S3"] = "orders=http://127.0.0.1:1/orders"
    with subprocess.Popen(
        _command(installed),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert any("https://127.0.0.1:" in line for line in server.stdout)
        finally:
            server.kill()


# Only the image's own Python tells whether each of the packages can be imported there.
def test_the_packages_of_all_extras(installed, extras):
    further = ", obstore" if extras else ""
    program = f"import croniter, cryptography, prompt_toolkit{further}"
    subprocess.run([installed / "bin" / "python", "-c", program], check=True)


def _tables(endpoint):
    client = boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    try:
        return client.list_tables()["TableNames"]
    finally:
        client.close()


def _command(installed):
    (entry,) = (json.loads(line) for line in instructions("ENTRYPOINT"))
    command = json.loads(instructions("CMD")[-1])
    return [str(installed / "bin" / entry[0]), *entry[1:], *command]


# A server that was broken into must not be root.
def test_user():
    assert instructions("USER") == ["hashrange"]
    assert any("install -d -o hashrange -g hashrange /data" in run for run in instructions("RUN"))


def _holds(marker, environment):
    return marker is None or marker.evaluate(environment)


# Docker builds for both without emulating a compiler: nothing may come as source.
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_wheels(machine, tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    python = re.search(r"^ARG PYTHON=(\S+)$", DOCKERFILE, re.MULTILINE)[1]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--target", tmp_path]
    command += ["--only-binary=:all:", "--python-version", python, "--ignore-installed"]
    for glibc in ("2_17", "2_24", "2_28", "2_31", "2_34"):  # Debian 13 has 2.41
        command += ["--platform", f"manylinux_{glibc}_{machine}"]
    command += ["--platform", f"manylinux2014_{machine}"]
    extras = project["optional-dependencies"]
    further = [each for name in EXTRAS.split(",") for each in extras[name]]
    # pip judges markers by the interpreter that it runs on.
    wanted = [Requirement(each) for each in (*project["dependencies"], *further)]
    of_image = {"python_version": python, "python_full_version": f"{python}.0"}
    named = [f"{each.name}{each.specifier}" for each in wanted if _holds(each.marker, of_image)]
    told = subprocess.run([*command, *named], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
