"""The files of deploy/, read by the parser of `docker compose` and by the types of Kubernetes.

Both come as modules from Go's proxy and are compiled once, into Go's own cache.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.clients.programs import run_program
from tests.container.test_deploying import COMPOSE, MANIFESTS
from tests.pace import seconds

# Compiles Kubernetes' types: some minutes of CPU.
BUILD_SECONDS_MAX = seconds(600)
FAULTS = {
    "compose": "services:\n  db:\n    image: x\n    port: [80]\n",
    "objects": "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {port: 80}\n",
}

pytestmark = [pytest.mark.toolchain("go"), pytest.mark.long, pytest.mark.timeout(700)]


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Reads files of a kind: the exit code and the faults."""
    place = tmp_path_factory.mktemp("schemas") / "sources"
    shutil.copytree(Path(__file__).parent / "schemas", place)
    build = ["go", "build", "-o", str(place / "schemas"), "."]
    built = run_program(build, dict(os.environ), place, BUILD_SECONDS_MAX)
    assert built.returncode == 0, built.stderr

    def run(kind, *files):
        words = [str(place / "schemas"), kind, *map(str, files)]
        ended = run_program(words, dict(os.environ), place)
        return ended.returncode, ended.stdout

    return run


@pytest.mark.parametrize(("kind", "files"), [("compose", COMPOSE), ("objects", MANIFESTS)])
def test_they_have_no_faults(read, kind, files):
    assert files
    assert read(kind, *files) == (0, "")


@pytest.mark.parametrize("kind", FAULTS)
def test_a_member_that_is_not_known_is_found(read, tmp_path, kind):
    (tmp_path / "file.yaml").write_text(FAULTS[kind])
    code, faults = read(kind, tmp_path / "file.yaml")
    assert code == 1
    assert "port" in faults
