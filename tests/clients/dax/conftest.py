"""Servers with a DAX endpoint, and what their clients find in them."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from hashrange.server.certificates import ensure
from tests.api.conftest import client_of
from tests.clients.programs import run_program
from tests.pace import seconds
from tests.ports import free_port
from tests.unit.processes import serving

HERE = Path(__file__).parent
INSTALL_SECONDS_MAX = seconds(200)


def _fill(endpoint, **options):
    dynamodb = client_of(endpoint, **options)
    kinds = {"pk": "S", "sk": "N", "g": "S"}

    def create(name, names, keys, **more):
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": each, "AttributeType": kinds[each]} for each in names
            ],
            KeySchema=schema(*keys),
            **more,
        )

    def schema(*names):
        kinds_of_keys = zip(names, ("HASH", "RANGE"), strict=False)
        return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds_of_keys]

    create("flat", ("pk",), ("pk",))
    index = {
        "IndexName": "by-g",
        "KeySchema": schema("g", "sk"),
        "Projection": {"ProjectionType": "ALL"},
    }
    create("sorted", ("pk", "sk", "g"), ("pk", "sk"), GlobalSecondaryIndexes=[index])
    for number in range(10):
        text = {"N": str(number)}
        group = {"S": "odd" if number % 2 else "even"}
        item = {"pk": {"S": "p"}, "sk": text, "g": group, "v": text}
        dynamodb.put_item(TableName="sorted", Item=item)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """The files of a certificate of this machine, and of its key."""
    place = tmp_path_factory.mktemp("tls")
    files = (place / "certificate.pem", place / "key.pem")
    now_ms = 1_000 * int(Path(__file__).stat().st_mtime)
    ensure(*files, [], now_ms)
    return files


@pytest.fixture(params=["dax", "daxs", "upstream"])
def dax_endpoint(request, start_server, certificate):
    """URL of the DAX endpoint of a new server, plain or with TLS, or in front of a server."""
    if request.param == "upstream":
        server = start_server(memory=True)
        _fill(server)
        command = ("dax", "--port", "0", "--upstream", server)
        with serving(command=command) as (_, greeting):
            yield re.search(r"dax://\S+", greeting)[0]
        return
    port, secure, options = free_port(), {}, {}
    if request.param == "daxs":
        secure = {"tls_cert": certificate[0], "tls_key": certificate[1]}
        options = {"verify": str(certificate[0])}
    _fill(start_server(dax_port=port, memory=True, **secure), **options)
    yield f"{request.param}://127.0.0.1:{port}"


@pytest.fixture
def dax_environment(environment, certificate):
    """Variables with which all clients trust the certificate."""
    trusted = dict.fromkeys(("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"), str(certificate[0]))
    return environment | trusted


@pytest.fixture(scope="session")
def dax_packages(environment, tmp_path_factory):
    """A folder with the client of Python."""
    place = str(tmp_path_factory.mktemp("packages"))
    uv = ["uv", "pip", "install", "--python", sys.executable]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
    command = [*(uv if shutil.which("uv") else pip), "--quiet", "--target", place]
    command += ["-r", str(HERE / "python" / "requirements.txt")]
    installed = run_program(command, environment, None, INSTALL_SECONDS_MAX)
    assert installed.returncode == 0, installed.stderr
    return place


@pytest.fixture(scope="session", params=["javascript", "javascript1"])
def dax_node(request, environment, tmp_path_factory):
    """A folder with a program of JavaScript and its packages."""
    place = tmp_path_factory.mktemp(request.param)
    shutil.copy(HERE / "javascript" / "steps.mjs", place)
    shutil.copytree(HERE / request.param, place, dirs_exist_ok=True)
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = run_program(command, environment, place, INSTALL_SECONDS_MAX)
    assert installed.returncode == 0, installed.stderr
    return place


@pytest.fixture(scope="session", params=["go", "go1"])
def dax_go(request, environment, tmp_path_factory):
    """A program of Go, built."""
    place = tmp_path_factory.mktemp(request.param)
    shutil.copytree(HERE / request.param, place, dirs_exist_ok=True)
    program = place / "program.exe"
    build = ["go", "build", "-o", str(program), "."]
    built = run_program(build, environment, place, seconds(250))
    assert built.returncode == 0, built.stderr
    return program
