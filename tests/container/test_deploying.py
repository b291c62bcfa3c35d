"""The files of deploy/, read as the programs that take them do."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from hashrange.observe.process_figures import program_version
from hashrange.settings.rows import ROWS
from hashrange.settings.settings import Settings
from hashrange.settings.sources import load
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.hosts import hosts_of
from hashrange.storage.postgres.lease_keeper import READ_LEASE_SECONDS

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = [ROOT / "compose.yaml", *sorted((DEPLOY / "compose").glob("*.yaml"))]
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
SERVICE_KEYS = {
    "build", "command", "depends_on", "environment", "healthcheck", "image", "ports", "read_only",
    "restart", "secrets", "stop_grace_period", "tmpfs", "volumes",
}  # fmt: skip
"""Of the Compose specification, those that the files use."""
DRAIN_SECONDS = Settings().drain_seconds
OWNER = int(re.search(r"--uid (\d+)", (ROOT / "Dockerfile").read_text("utf-8"))[1])
VARIABLES = {f"HASHRANGE_{row.name.upper()}" for row in ROWS}


def documents(path):
    return [each for each in yaml.safe_load_all(path.read_text("utf-8")) if each]


def servers(path):
    """The services of a compose file that run the image of this project."""
    services = documents(path)[0]["services"]
    return {name: each for name, each in services.items() if "build" in each}


def settings_of(words):
    """The settings of a command line after `serve`. Fails for one that is not known."""
    separators = {row.name: row.kind.separator for row in ROWS}
    given = {}
    for flag, value in zip(words[::2], words[1::2], strict=True):
        name = flag.removeprefix("--").replace("-", "_")
        given[name] = separators[name].join([given[name], value]) if name in given else value
    return load(given, {})


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.stem)
def test_compose_files(path):
    (project,) = documents(path)
    volumes, secrets = set(project.get("volumes", ())), set(project.get("secrets", ()))
    taken = []
    for service in project["services"].values():
        assert set(service) <= SERVICE_KEYS
        assert {each.split(":")[0] for each in service.get("volumes", ())} <= volumes
        assert set(service.get("secrets", ())) <= secrets
        assert set(service.get("depends_on", ())) <= set(project["services"])
        taken += service.get("ports", ())
    assert len(taken) == len(set(taken))
    # Signatures are not verified: nobody but this machine may reach the server.
    assert all(port.startswith("127.0.0.1:") for port in taken)
    for service in servers(path).values():
        assert set(service.get("environment", ())) <= VARIABLES | {"PGPASSWORD"}
        assert int(service["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS
        build = path.parent / service["build"]
        assert (build / "Dockerfile").is_file()


def test_regions_know_each_other(tmp_path):
    path = DEPLOY / "compose" / "regions.yaml"
    key = tmp_path / "peer.key"
    key.write_text("0" * 64)
    held, named = {}, {}
    for name, service in servers(path).items():
        serve, *words = service["command"]
        assert serve == "serve"
        settings = settings_of([word.replace("/run/secrets/peer.key", str(key)) for word in words])
        assert settings.hosts == name  # the others call it by this name
        region = settings.regions
        held[region] = (name, 8000)
        named[region] = {each.region: (each.host, each.port) for each in settings.peers}
    for region, peers in named.items():
        assert peers == {other: server for other, server in held.items() if other != region}


# Names of the database, of Patroni's settings and of etcd, as each has to know the others.
def test_nodes_of_high_availability_know_each_other():
    path = DEPLOY / "compose" / "high-availability.yaml"
    services = documents(path)[0]["services"]
    nodes = {name: each for name, each in services.items() if name.startswith("node-")}
    stores = {name: each for name, each in services.items() if name.startswith("etcd-")}
    assert (len(nodes), len(stores)) == (3, 3)
    for server in servers(path).values():
        address = DatabaseAddress.of(server["environment"]["HASHRANGE_ENGINE"])
        assert [host for host, _ in hosts_of(address.url)] == list(nodes)
    for node in nodes.values():
        environment = node["environment"]
        hosts = environment["ETCD3_HOSTS"].replace("'", "").split(",")
        assert hosts == [f"{name}:2379" for name in stores]
        dcs = yaml.safe_load(environment["SPILO_CONFIGURATION"])["bootstrap"]["dcs"]
        assert dcs["synchronous_mode"] is True
        assert dcs["postgresql"]["parameters"]["synchronous_commit"] == "on"
        assert dcs["ttl"] - dcs["loop_wait"] > READ_LEASE_SECONDS
    for name, store in stores.items():
        program, *words = store["command"]
        options = dict(zip(words[::2], words[1::2], strict=True))
        assert (program, options["--name"]) == ("etcd", name)
        members = dict(each.split("=") for each in options["--initial-cluster"].split(","))
        assert members == {each: f"http://{each}:2380" for each in stores}
        assert options["--initial-advertise-peer-urls"] == members[name]


def pod_of(workload):
    return workload["spec"]["template"]["spec"]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_manifests(path):
    by_kind = {each["kind"]: each for each in documents(path)}
    workload = by_kind.get("StatefulSet") or by_kind["Deployment"]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    assert workload["spec"]["selector"]["matchLabels"] == labels
    assert by_kind["Service"]["spec"]["selector"] == labels
    budget = by_kind["PodDisruptionBudget"]["spec"]
    assert budget["selector"]["matchLabels"] == labels
    pod = pod_of(workload)
    (container,) = pod["containers"]
    # The container's user writes to its volumes, and nothing else to the root.
    assert pod["securityContext"]["runAsUser"] == OWNER
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert pod["terminationGracePeriodSeconds"] > DRAIN_SECONDS + 1
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert {each["name"] for each in container["env"]} <= VARIABLES | {"PGPASSWORD"}
    claims = [each["metadata"]["name"] for each in workload["spec"].get("volumeClaimTemplates", ())]
    volumes = {*claims, *(each["name"] for each in pod["volumes"])}
    assert {each["name"] for each in container["volumeMounts"]} == volumes
    (port,) = by_kind["Service"]["spec"]["ports"]
    assert port["targetPort"] in {each["name"] for each in container["ports"]}
    # A data directory has one server; on a database one may be missing.
    if claims:
        assert pod["securityContext"]["fsGroup"] == OWNER
        assert (workload["spec"]["replicas"], budget["maxUnavailable"]) == (1, 0)
    else:
        assert workload["spec"]["replicas"] > budget["minAvailable"]


def test_unit_of_systemd():
    unit = (DEPLOY / "systemd" / "hashrange.service").read_text("utf-8")
    assert f"```ini\n{unit}```" in (ROOT / "docs" / "operating.md").read_text("utf-8")
    values = dict(
        line.split("=", 1) for line in unit.replace("\\\n", " ").splitlines() if "=" in line
    )
    program, serve, *words = shlex.split(values["ExecStart"])
    assert (program, serve) == ("/opt/hashrange/bin/hashrange", "serve")
    settings = settings_of(words)
    # All else is read-only for it.
    assert str(settings.data).startswith(f"/var/lib/{values['StateDirectory']}/")
    assert values["LogsDirectory"] == "hashrange"
    assert "/mnt/backups" in values["ReadWritePaths"]
    assert int(values["TimeoutStopSec"]) > settings.drain_seconds + 1


def test_the_chart_is_of_this_version():
    (chart,) = documents(DEPLOY / "helm" / "Chart.yaml")
    assert chart["version"] == chart["appVersion"] == program_version()
