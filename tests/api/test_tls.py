"""HTTPS, as SDKs and operators use it."""

# The certificate of `--tls self-signed` must be one that clients accept once they trust it, for
# each of the server's names.

import re
import signal
import ssl
import subprocess
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import SSLError

from hashrange.clock import SystemClock
from hashrange.server.certificates import ensure
from hashrange.settings.kinds import Tls
from tests.api.conftest import CONFIG, REGION
from tests.api.load import loaded
from tests.pace import seconds
from tests.unit.processes import run, serving

CLIENT = Path(__file__).parents[1] / "unit" / "server" / "localhost.pem"


def client_of(endpoint, verify):
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=CONFIG,
        verify=verify,
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tls")
    return directory / "cert.pem", directory / "key.pem"


@pytest.fixture(scope="module")
def endpoint(start_server, files):
    return start_server(tls=Tls.SELF_SIGNED, tls_cert=files[0], tls_key=files[1])


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_sdk_that_trusts_the_certificate(endpoint, files, name):
    assert endpoint.startswith("https://127.0.0.1:")
    client = client_of(endpoint.replace("127.0.0.1", name), str(files[0]))
    assert "TableNames" in client.list_tables()
    host = endpoint.removeprefix("https://").replace("127.0.0.1", name)
    assert client.describe_endpoints()["Endpoints"][0]["Address"] == host


def test_sdk_that_does_not_trust_it(endpoint):
    with pytest.raises(SSLError, match="CERTIFICATE_VERIFY_FAILED"):
        client_of(endpoint, verify=True).list_tables()


def served_certificate(endpoint):
    host, _, port = endpoint.rpartition("//")[2].rpartition(":")
    return ssl.get_server_certificate((host, int(port)), timeout=seconds(20)).strip()


def await_line(process, text):
    """Until the server logs it; a slow request may be logged before."""
    while text not in process.stdout.readline():
        assert process.poll() is None


def endpoint_in(printed):
    return re.search(r"listens on (\S+)", printed)[1]


# Of the process that was started; with workers it tells the others.
@pytest.mark.parametrize(
    "more",
    [
        pytest.param(["--dax-port", "0"], id="one process"),
        pytest.param(["--workers", "2"], id="workers", marks=pytest.mark.long),
    ],
)
def test_hangup_reads_the_certificate_again(tmp_path, more):
    data = tmp_path / "data"
    options = ["--tls", "self-signed", "--data", str(data), "--log-level", "info", *more]
    with serving(*options, stderr=subprocess.STDOUT) as (process, printed):
        endpoint, certificate = endpoint_in(printed), data / "tls-cert.pem"
        dax = re.findall(r"daxs:([^\s\"]+)", printed)
        assert f"export AWS_CA_BUNDLE={certificate}" in printed
        client = client_of(endpoint, str(certificate))
        client.list_tables()
        first = certificate.read_text().strip()
        assert {served_certificate(each) for each in (endpoint, *dax)} == {first}
        ensure(tmp_path / "c.pem", tmp_path / "k.pem", (), SystemClock().now_ms())
        (tmp_path / "k.pem").replace(data / "tls-key.pem")
        # Half of the pair is new: the old one stays.
        process.send_signal(signal.SIGHUP)
        await_line(process, "the certificate stays as it was")
        assert served_certificate(endpoint) == first
        (tmp_path / "c.pem").replace(certificate)
        process.send_signal(signal.SIGHUP)
        await_line(process, "new connections get the certificate")
        if dax:  # one of two workers may still read the files
            served = {served_certificate(each) for each in (endpoint, *dax)}
            assert served == {certificate.read_text().strip()}
        # On the connection that was open all the time, whose certificate is not trusted any more.
        client.list_tables()
    assert process.returncode == 0


def test_hangups_under_load(tmp_path):
    data = tmp_path / "data"
    options = ["--tls", "self-signed", "--data", str(data), "--log-level", "info"]
    with serving(*options, stderr=subprocess.STDOUT) as (process, printed):
        trusted = {"verify": str(data / "tls-cert.pem")}
        with loaded(endpoint_in(printed), **trusted) as (_, load):
            for _ in range(3):
                process.send_signal(signal.SIGHUP)
                await_line(process, "new connections get the certificate")
                load.more()
    assert process.returncode == 0


def test_health_and_top_over_https(tmp_path):
    files = ["--tls-cert", str(tmp_path / "c.pem"), "--tls-key", str(tmp_path / "k.pem")]
    with serving("--memory", "--tls", "self-signed", *files) as (_, printed):
        url = endpoint_in(printed)
        certificate = str(tmp_path / "c.pem")
        own = {
            "HASHRANGE_PORT": url.rpartition(":")[2],
            "HASHRANGE_TLS_CERT": certificate,
            "HASHRANGE_TLS_KEY": str(tmp_path / "k.pem"),
        }
        for answer in [
            run("healthcheck", "--endpoint", url, "--ca", certificate),
            run("healthcheck", "--endpoint", url, AWS_CA_BUNDLE=certificate),
            # As in a container: by its own settings, without a certificate of the system.
            run("healthcheck", **own),
            run("top", "--once", "--interval", "0.1", "--endpoint", url, "--ca", certificate),
        ]:
            assert answer.returncode == 0, answer.stderr
        untrusted = run("healthcheck", "--endpoint", url)
        assert untrusted.returncode == 1
        assert "certificate" in untrusted.stderr
        missing = run("healthcheck", "--endpoint", url, "--ca", str(tmp_path / "none"))
        assert missing.returncode == 2
        plain = run("healthcheck", "--endpoint", url.replace("https", "http"))
        assert "is not ready: it answers 400" in plain.stderr


def test_health_and_top_with_a_client_certificate(tmp_path):
    certificate, client = str(tmp_path / "c.pem"), str(CLIENT)
    files = ["--tls-cert", certificate, "--tls-key", str(tmp_path / "k.pem")]
    asked = ["--memory", "--tls", "self-signed", *files, "--tls-client-ca", client]
    with serving(*asked) as (_, printed):
        place = ["--endpoint", endpoint_in(printed), "--ca", certificate]
        known = [*place, "--client-cert", client]
        assert run("healthcheck", *known).returncode == 0
        assert run("top", "--once", "--interval", "0.1", *known).returncode == 0
        assert run("insights", *known).returncode == 0
        assert run("insights", *place).returncode == 1
        assert run("healthcheck", *place).returncode == 1
        assert run("healthcheck", *place, "--client-cert", certificate).returncode == 2


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (["--tls-cert", "c.pem"], 2, "--tls-cert and --tls-key need each other"),
        (["--tls-client-ca", "c.pem"], 2, "--tls-client-ca needs --tls-cert, or --tls self-signed"),
        (["--tls", "self-signed"], 2, "--tls self-signed needs a data directory"),
        (["--tls-cert", "none.pem", "--tls-key", "none.pem"], 1, "none.pem: No such file"),
    ],
)
def test_settings_that_do_not_work_end_in_one_line(options, code, text):
    answer = run("serve", "--memory", "--port", "0", *options)
    assert answer.returncode == code
    assert text in answer.stderr
    assert answer.stderr.count("\n") == 1
