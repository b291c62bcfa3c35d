"""The official clients of DAX, unchanged, each with a program of the same steps."""

import json
import sys

import pytest

from tests.clients.dax.conftest import HERE
from tests.clients.dax.seen import SEEN
from tests.clients.java_programs import compiled
from tests.clients.programs import run_program

pytestmark = pytest.mark.timeout(300)
PASSWORD = "changeit"


def seen(command, environment):
    """What a program saw."""
    ended = run_program(command, environment)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


# The client of Python checks the certificate against its own store of issuers.
@pytest.mark.long
def test_python(dax_endpoint, dax_environment, dax_packages):
    command = [sys.executable, str(HERE / "python" / "program.py"), dax_endpoint]
    assert seen(command, dax_environment | {"PYTHONPATH": dax_packages}) == SEEN


# For aws-sdk 3 and 2; with attribute values, and with documents. They send numbers as floats.
@pytest.mark.toolchain("node", "npm")
def test_javascript(dax_endpoint, dax_environment, dax_node):
    command = ["node", str(dax_node / "program.mjs"), dax_endpoint]
    assert seen(command, dax_environment) == SEEN | {"documents": True}


# For aws-sdk-go-v2 and aws-sdk-go. They sign another host, and send Select with each query.
@pytest.mark.toolchain("go")
def test_go(dax_endpoint, dax_environment, dax_go):
    assert seen([str(dax_go), dax_endpoint], dax_environment) == SEEN


# It expects answers in frames, and attributes in maps of indefinite length.
@pytest.mark.toolchain("java", "javac", "mvn", "keytool")
def test_java(dax_endpoint, dax_environment, certificate, tmp_path):
    classpath = compiled(HERE / "java", tmp_path / "java", dax_environment)
    store = tmp_path / "trusted.p12"
    importing = ["keytool", "-importcert", "-noprompt", "-keystore", str(store)]
    importing += ["-storepass", PASSWORD, "-file", str(certificate[0])]
    imported = run_program(importing, dax_environment)
    assert imported.returncode == 0, imported.stderr
    trust = [
        f"-Djavax.net.ssl.trustStore={store}",
        f"-Djavax.net.ssl.trustStorePassword={PASSWORD}",
    ]
    assert (
        seen(["java", *trust, "-cp", classpath, "program.Program", dax_endpoint], dax_environment)
        == SEEN
    )
