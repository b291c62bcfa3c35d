"""What all tests share: how many examples a property gets, and what is asked of the machine.

The default profile `dev` draws the same examples each time, so that a change fails for what it does
and not by chance. `--hypothesis-profile=thorough` draws more of them, as `make test-all` does;
`random` and `nightly` draw others in each run.
"""

import gc
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest
import pytest_timeout
from hypothesis import HealthCheck, settings

from tests import pace, s3_server
from tests.effort import QUICK_EXAMPLES, THOROUGH_EXAMPLES
from tests.engines import postgres_server

# A loaded machine is slow at random; what a property costs is measured elsewhere.
QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

SLOW = (
    "clients",
    "container",
    "copying",
    "crash",
    "engines",
    "model",
    "power",
    "servers",
    "workers",
)
"""Folders whose tests start processes or search."""

LONG = ("crash", "power", "servers", "workers")
"""Folders whose tests are all long: they kill servers and cut the power."""

settings.register_profile("dev", max_examples=QUICK_EXAMPLES, derandomize=True, **QUIET)
settings.register_profile("thorough", max_examples=THOROUGH_EXAMPLES, derandomize=True, **QUIET)
settings.register_profile("random", max_examples=300, **QUIET)
settings.register_profile("nightly", max_examples=20_000, **QUIET)
settings.load_profile("dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-clients",
        action="store_true",
        help="fail, do not skip, where a toolchain is missing (tests/clients, tests/servers)",
    )
    parser.addoption(
        "--all-engines",
        action="store_true",
        help="fail, do not skip, where the PostgreSQL for tests cannot be started",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "toolchain(*programs): needs these programs, and a registry to install from"
    )
    config.addinivalue_line(
        "markers",
        "long: takes seconds of CPU, and only `make test-all` and a run of its file do it",
    )
    postgres_server.must_run = config.getoption("--all-engines")
    # In the background of a shell interrupts are ignored, also by what is started here.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what cannot run here, or fails it with --all-clients."""
    wanted = {name for mark in item.iter_markers("toolchain") for name in mark.args}
    missing = sorted(name for name in wanted if shutil.which(name) is None)
    if missing and item.config.getoption("--all-clients"):
        pytest.fail(f"not installed: {', '.join(missing)}", pytrace=False)
    if missing:
        pytest.skip(f"the toolchain is missing: {', '.join(missing)}")


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: pytest_timeout.Settings) -> bool:
    """Every limit, of the configuration or of a mark, is that of a quiet machine."""
    scaled = settings._replace(timeout=pace.seconds(settings.timeout))
    pytest_timeout.pytest_timeout_set_timer(item, scaled)
    return True


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file all of whose tests are deselected is not imported, which takes CPU as well."""
    marks = [mark for mark in ("long", "toolchain") if f"not {mark}" in config.option.markexpr]
    if collection_path.suffix != ".py" or not marks:
        return None
    if "long" in marks and collection_path.parent.name in LONG:
        return True
    whole = rf"^pytestmark = .*\bmark\.({'|'.join(marks)})\b"
    return re.search(whole, collection_path.read_text("utf-8"), re.MULTILINE) is not None or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Before marks select."""
    if _folder(item) in LONG:
        item.add_marker(pytest.mark.long)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, or one process has it left when the others are done."""
    items.sort(key=lambda item: _folder(item) not in SLOW)


def _folder(item: pytest.Item) -> str:
    """The folder of tests/ that has the file."""
    return item.nodeid.split("/")[1]


def pytest_collection_finish() -> None:
    """Searches for cycles then pass over the 15,000 tests, of which none is ever garbage."""
    gc.collect()
    gc.freeze()


def pytest_report_header() -> str:
    return f"pace: {pace.PACE:.1f} times a quiet machine's seconds"


@pytest.fixture(scope="session")
def s3_endpoint():
    """The endpoint of an API of S3, started when the first test needs it."""
    with s3_server.running() as endpoint:
        yield endpoint


@pytest.fixture
def without(monkeypatch):
    """Makes a package missing, by its name."""
    return lambda package: monkeypatch.setitem(sys.modules, package, None)


@pytest.fixture
def in_tmp_path(tmp_path, monkeypatch):
    """The working directory is `tmp_path`."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def process_environment(monkeypatch):
    """Sets variables of this process, for what takes no other environment; None removes one."""

    def changed(**variables):
        for name, text in variables.items():
            if text is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, text)

    return changed
