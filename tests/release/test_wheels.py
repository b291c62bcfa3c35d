"""Each dependency has a wheel for each platform that docs/dependencies.md names."""

import os
import shutil

import pytest

from tests.clients.programs import run_program
from tests.release.building import ROOT

GLIBC = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
MUSL = ("x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl")
OTHERS = ("aarch64-apple-darwin", "x86_64-apple-darwin", "x86_64-pc-windows-msvc")
CASES = [
    *((platform, "all") for platform in (*GLIBC, "aarch64-apple-darwin", "x86_64-pc-windows-msvc")),
    *((platform, "") for platform in (*MUSL, *OTHERS)),
]
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("uv") is None, reason="needs uv, which asks the index"),
]


@pytest.mark.parametrize("python", ["3.11", "3.14"])
@pytest.mark.parametrize(("platform", "extra"), CASES)
def test_all_have_wheels(platform, extra, python):
    command = ["uv", "pip", "compile", "-q", "--only-binary", ":all:", "--python-version", python]
    command += ["--python-platform", platform, *(["--extra", extra] if extra else [])]
    ended = run_program([*command, "pyproject.toml", "-o", os.devnull], dict(os.environ), ROOT)
    assert ended.returncode == 0, ended.stderr
