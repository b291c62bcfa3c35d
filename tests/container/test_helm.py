"""The Helm chart of deploy/helm, linted and rendered by Helm.

Helm comes as a module from Go's proxy and is compiled once, into Go's own cache.
"""

import json
import os

import pytest
import yaml

from tests.clients.programs import run_program
from tests.container.test_deploying import DEPLOY, DRAIN_SECONDS, VARIABLES, documents, pod_of
from tests.pace import seconds

CHART = DEPLOY / "helm"
HELM = "helm.sh/helm/v3/cmd/helm@v3.18.4"
# Compiles Kubernetes' client: some minutes of CPU.
BUILD_SECONDS_MAX = seconds(600)
WITH_DATABASE = ("postgres.secret=hashrange", "replicas=3")
LABELS = {
    "app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "app.kubernetes.io/version",
    "helm.sh/chart",
}  # fmt: skip

pytestmark = [pytest.mark.toolchain("go"), pytest.mark.long, pytest.mark.timeout(700)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs Helm with words: its exit code and what it wrote."""
    place = tmp_path_factory.mktemp("helm")
    environment = {**os.environ, "GOBIN": str(place), "HELM_CACHE_HOME": str(place)}
    built = run_program(["go", "install", HELM], environment, place, BUILD_SECONDS_MAX)
    assert built.returncode == 0, built.stderr
    return lambda *words: run_program([str(place / "helm"), *words], environment, place)


@pytest.fixture(scope="module")
def rendered(run):
    """The objects of the chart with values, by kind."""

    def objects(*values, name="hashrange", settings="{}"):
        given = [word for value in values for word in ("--set", value)]
        words = ["template", name, str(CHART), "--set-json", f"settings={settings}", *given]
        ended = run(*words)
        assert ended.returncode == 0, ended.stderr
        return {each["kind"]: each for each in yaml.safe_load_all(ended.stdout) if each}

    return objects


def plain(found):
    """An object without the labels that only Helm sets."""
    if isinstance(found, list):
        return [plain(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {name: plain(each) for name, each in found.items() if name not in LABELS}


def test_it_has_no_faults(run):
    for values in ([], ["--set", ",".join(WITH_DATABASE)]):
        ended = run("lint", "--strict", str(CHART), *values)
        assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("name", "values"), [("hashrange", ()), ("postgres", WITH_DATABASE)], ids=["volume", "database"]
)
def test_it_makes_what_the_plain_manifests_make(rendered, name, values):
    expected = {each["kind"]: each for each in documents(DEPLOY / "kubernetes" / f"{name}.yaml")}
    found = rendered("image.tag=latest", *values)
    assert {kind: plain(each) for kind, each in found.items()} == expected


def test_settings_are_variables_of_the_server(rendered):
    given = {"auth": "required", "drain_seconds": 30, "waiting_writes_max": 1_000_000}
    settings = json.dumps(given | {"tls": "self-signed"})
    pod = pod_of(rendered(name="shop", settings=settings)["StatefulSet"])
    (container,) = pod["containers"]
    variables = {each["name"]: each["value"] for each in container["env"]}
    assert variables["HASHRANGE_AUTH"] == "required"
    assert variables["HASHRANGE_WAITING_WRITES_MAX"] == "1000000"
    assert variables["HASHRANGE_HOSTS"].startswith("shop-hashrange,shop-hashrange.default,")
    assert set(variables) <= VARIABLES
    assert pod["terminationGracePeriodSeconds"] > 30 + 1
    assert container["readinessProbe"]["httpGet"]["scheme"] == "HTTPS"
    assert DRAIN_SECONDS < 30


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("replicas=2", "several need postgres.secret"),
        ("settings.tls_client_ca=/ca.pem", "probes of Kubernetes have no certificate"),
        ("setings.auth=required", "setings"),
        ("service.type=Internal", "service.type"),
    ],
)
def test_what_is_refused(run, value, text):
    ended = run("template", "hashrange", str(CHART), "--set", value)
    assert ended.returncode != 0
    assert text in ended.stderr
