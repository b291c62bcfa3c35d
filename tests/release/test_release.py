"""A release, as `make release` makes it: what a user installs by name."""

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from hashrange import __version__
from tests.release.building import ROOT, built, exported, notes
from tests.release.environments import answers, bill_of_materials, installed

pytestmark = pytest.mark.long  # installs distributions into environments of their own
ANSWERS = ["albums", "hashrange console"]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The source distribution and the wheel of the newest commit."""
    place = tmp_path_factory.mktemp("release")
    (place / "built").mkdir()
    return built(exported(place / "sources"), place / "built")


@pytest.fixture(scope="module")
def programs(distributions, tmp_path_factory):
    return installed(sys.executable, distributions[1], tmp_path_factory.mktemp("environment") / "v")


def test_two_builds_have_the_same_bytes(distributions, tmp_path):
    (tmp_path / "built").mkdir()
    again = built(exported(tmp_path / "elsewhere"), tmp_path / "built")
    assert [path.name for path in again] == [path.name for path in distributions]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in distributions]


def test_what_the_distributions_contain(distributions):
    packed, wheel = distributions
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
        described = f"hashrange-{__version__}.dist-info"
        assert {
            "hashrange/py.typed",
            "hashrange/console/static/index.html",
            "hashrange/console/static/vendor/ui.js",
            "hashrange/docs/testing.md",
            f"{described}/licenses/LICENSE",
            f"{described}/licenses/src/hashrange/console/static/vendor/LICENSES.txt",
        } <= names
        assert {name.partition("/")[0] for name in names} == {"hashrange", described}
        metadata = files.read(f"{described}/METADATA").decode()
    assert "License-Expression: Apache-2.0\n" in metadata
    with tarfile.open(packed) as sources:
        tops = {name.split("/")[1] for name in sources.getnames() if "/" in name}
    assert tops == {
        ".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "docs", "pyproject.toml",
        "src",
    }  # fmt: skip


def test_the_server_of_the_wheel_answers(programs, tmp_path):
    assert answers([programs / "hashrange"], tmp_path) == ANSWERS
    assert list(tmp_path.iterdir()) == []


def test_the_server_of_the_source_distribution_answers(distributions, tmp_path):
    programs = installed(sys.executable, distributions[0], tmp_path / "environment")
    assert answers([programs / "hashrange"], tmp_path) == ANSWERS


@pytest.mark.skipif(shutil.which("uvx") is None, reason="uv is not installed")
def test_uvx_runs_the_wheel(distributions, tmp_path):
    folder = distributions[1].parent
    command = ["uvx", "--python", sys.executable, "--find-links", folder, "hashrange"]
    assert answers(command, tmp_path) == ANSWERS


# What a newcomer meets in the first hour must not end with a package that is missing.
def test_the_first_hour_needs_no_further_package(programs, tmp_path):
    secure = ["--auth", "required", "--tls", "self-signed", "--data", tmp_path / "data"]
    server = subprocess.Popen(
        [programs / "hashrange", "serve", "--port", "0", *secure],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        try:
            assert "https://127.0.0.1:" in next(iter(server.stdout))
        finally:
            server.terminate()
    program = "import croniter, cryptography, prompt_toolkit"
    subprocess.run([programs / "python", "-c", program], check=True)


def test_the_bill_of_materials(programs):
    materials = json.loads(bill_of_materials(programs, __version__))
    names = {each["name"].lower().replace("_", "-") for each in materials["components"]}
    assert names >= {"apsw-sqlite3mc", "cryptography", "msgspec", "uvloop"}
    assert "pip" not in names
    assert materials["metadata"]["component"]["purl"] == f"pkg:pypi/hashrange@{__version__}"


def test_notes_are_the_section_of_the_version():
    text = "# Changelog\n\n## [0.2.0] - 2027\n\nNew.\n\n## [0.1.0] - 2026\n\nFirst.\n"
    assert notes(text, "0.2.0") == "## [0.2.0] - 2027\n\nNew.\n"
    assert notes(text, "0.1.0") == "## [0.1.0] - 2026\n\nFirst.\n"
    with pytest.raises(ValueError, match=r"no section 0\.3\.0"):
        notes(text, "0.3.0")
    assert notes((ROOT / "CHANGELOG.md").read_text("utf-8"), __version__)
