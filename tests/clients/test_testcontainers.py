"""The programs of docs/testing.md for Testcontainers: real libraries, a stand-in for Docker."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.docker_engine import docker_engine
from tests.clients.java_programs import compiled
from tests.clients.programs import run_program
from tests.clients.test_testing_page import PROGRAMS
from tests.pace import seconds

PACKAGES = Path(__file__).parent / "testcontainers"
PYTHON = "testcontainers==4.15.0"
INSTALL_SECONDS_MAX = seconds(250)
pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


@pytest.fixture
def engine():
    with docker_engine() as engine:
        yield engine


@pytest.fixture
def run(engine, environment, tmp_path):
    """Runs a command: what it printed last. Of its container nothing may be left."""
    shutil.copytree(PACKAGES, tmp_path, dirs_exist_ok=True)
    docker = {"DOCKER_HOST": engine.url, "TESTCONTAINERS_RYUK_DISABLED": "true"}
    docker |= {"TESTCONTAINERS_CHECKS_DISABLE": "true", "HOME": str(tmp_path)}
    # Ports are of this machine, also where it is a container itself.
    docker |= {"TESTCONTAINERS_CONNECTION_MODE": "docker_host"}

    def run(*command, installs=False):
        variables = environment if installs else {**environment, **docker}
        ended = run_program(list(command), variables, tmp_path, INSTALL_SECONDS_MAX)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout.splitlines()[-1:]

    yield run
    (container,) = engine.containers.values()
    assert container.starts == 1
    assert container.process is None
    assert container.asked["Image"].startswith("hashrange")


def write(place, name):
    (place / name).write_text(PROGRAMS[name], "utf-8")
    return str(place / name)


def test_python(run, tmp_path):
    packages = str(tmp_path / "packages")
    run(sys.executable, "-m", "pip", "install", "-q", "--target", packages, PYTHON, installs=True)
    # Behind those of this environment, which has boto3.
    start = "import runpy, sys; sys.path.append(sys.argv[2]); runpy.run_path(sys.argv[1])"
    assert run(sys.executable, "-c", start, write(tmp_path, "in_docker.py"), packages) == ["[]"]


@pytest.mark.toolchain("node", "npm")
def test_node(run, tmp_path):
    run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", installs=True)
    assert run("node", write(tmp_path, "in_docker.mjs")) == ["[]"]


@pytest.mark.toolchain("java", "javac", "mvn")
def test_java(run, tmp_path, environment):
    program = tmp_path / "program"
    (program / "main").mkdir(parents=True)
    write(program / "main", "InDocker.java")
    shutil.copy(PACKAGES / "pom.xml", program)
    path = compiled(program, tmp_path / "compiled", environment)
    assert run("java", "-cp", path, "InDocker") == ["[]"]
