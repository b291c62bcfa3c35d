"""The site of the documentation: it is built with every link right, and needs no network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pace import seconds

ROOT = Path(__file__).resolve().parents[2]
# Fonts, scripts, styles and images of other hosts; links to them are what a reader follows.
LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"?(?:https?:)?//[^>]*>")


# A page that is moved breaks links of others; a reader of the site may be offline.
@pytest.mark.long
def test_site_is_built_and_loads_nothing_from_elsewhere():
    command = ["make", "docs", f"BIN={Path(sys.executable).parent}", "DEV="]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=seconds(120), check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    site = ROOT / "build" / "site"
    pages = list(site.rglob("*.html"))
    names = {page.relative_to(site).as_posix() for page in pages}
    assert {"index.html", "docs/index.html", "docs/operating.html"} <= names
    assert {each for page in pages for each in LOADED.findall(page.read_text("utf-8"))} == set()
    assert "point-in-time recovery" in (site / "search.js").read_text("utf-8").lower()
