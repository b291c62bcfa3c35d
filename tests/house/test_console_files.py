"""The files of the console: pinned packages, and a budget for all of them."""

import gzip
import json
import re
from hashlib import sha256

from hashrange.capacity.prices import listed
from hashrange.expressions.functions import FUNCTIONS
from hashrange.expressions.partiql.updates import SET_FUNCTIONS
from tests.house.sources import FILES, PACKAGE, ROOT, relative

STATIC = PACKAGE / "console" / "static"
COMPRESSED_BYTES_MAX = 260 * 1024
MODULE_LINES_MAX = 400
SERVED = [path for path in FILES if STATIC in path.parents]
PRICE_OF = {
    "read": "provisioned_read_hour",
    "write": "provisioned_write_hour",
    "reads": "on_demand_read_million",
    "writes": "on_demand_write_million",
    "storage": "storage_gb_month",
}
OWN = [path for path in SERVED if path.parent.name != "vendor"]


# Who changes a bundle by hand, or a package without `make vendor`, changes what nobody can check.
def test_bundles_are_those_of_the_pinned_packages():
    listed = (ROOT / "vendor" / "SHA256SUMS").read_text("utf-8").splitlines()
    found = sorted(STATIC.joinpath("vendor").iterdir())
    hashed = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in found]
    assert hashed == listed, "make vendor"


def test_packages_are_pinned_with_hashes():
    named = json.loads((ROOT / "vendor" / "package.json").read_text("utf-8"))["devDependencies"]
    assert all(re.fullmatch(r"[0-9]+(\.[0-9]+)+", version) for version in named.values())
    locked = json.loads((ROOT / "vendor" / "package-lock.json").read_text("utf-8"))["packages"]
    assert [name for name, each in locked.items() if name and "integrity" not in each] == []


def test_each_bundled_package_has_its_licence():
    text = (STATIC / "vendor" / "LICENSES.txt").read_text("utf-8")
    for name in ("preact", "htm", "@codemirror/view", "@preact/signals-core"):
        assert re.search(rf"^{re.escape(name)} [0-9.]+ \((MIT|Apache-2.0)\)$", text, re.MULTILINE)


def test_all_files_together_are_small():
    """Pages do not load the licences."""
    loaded = [path for path in SERVED if path.suffix != ".txt"]
    sizes = [len(gzip.compress(path.read_bytes(), 9)) for path in loaded]
    assert sum(sizes) <= COMPRESSED_BYTES_MAX


def test_modules_are_short():
    lines = {relative(path): len(path.read_text("utf-8").splitlines()) for path in OWN}
    assert [name for name, count in lines.items() if count > MODULE_LINES_MAX] == []


# The content security policy refuses them; nothing that is stored may become markup.
def test_nothing_becomes_markup():
    banned = re.compile(
        r"innerHTML|outerHTML|insertAdjacent|dangerously|\beval\(|new Function|document\.write"
    )
    found = {relative(path): banned.findall(path.read_text("utf-8")) for path in OWN}
    assert {name: words for name, words in found.items() if words} == {}


def test_the_functions_of_statements_are_those_of_the_server():
    functions = {each.name for each in FUNCTIONS.values() if each.is_completed} | {*SET_FUNCTIONS}
    source = STATIC.joinpath("rooms/partiql.js").read_text("utf-8")
    proposed = re.search(r"const FUNCTIONS = (\[.*\]);", source)
    assert {name.rstrip("(") for name in json.loads(proposed[1])} == functions | {"EXISTS"}


# The page shows prices while a table is being defined, without asking the server.
def test_prices_are_those_of_the_price_list():
    source = STATIC.joinpath("definition.js").read_text("utf-8")
    shown = re.search(r"const PRICES = \{(.*?)\};", source, re.DOTALL)[1]
    members = re.findall(r"(\w+): \{(.*?)\}", shown)
    found = {
        name: {key: float(value) for key, value in re.findall(r"(\w+): ([0-9.]+)", body)}
        for name, body in members
    }
    usd = listed().prices
    assert found == {
        name: {key: usd[prefix + price].usd for key, price in PRICE_OF.items()}
        for name, prefix in (("STANDARD", ""), ("STANDARD_INFREQUENT_ACCESS", "ia_"))
    }
