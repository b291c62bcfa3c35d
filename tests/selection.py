"""Which of the long tests `.ci/run` runs: those that the changes since the last full run concern.

`python -m tests.selection` prints the arguments of pytest, a run a line, or `all`. `make test-all`
writes the commit that passed to `.ci/full-run`.
"""

# ruff: noqa: T201 - a command

import argparse
import ast
import datetime as dt
import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FULL_RUN = ".ci/full-run"
PACKAGE = "src/hashrange/"
FLAGS = {"--all-clients", "--all-engines"}
"""Without them a full run skips what the machine lacks."""


@dataclass(frozen=True)
class Row:
    """Long tests, as patterns of their files, and the paths that they concern.

    A path is one of a package of src, or of a folder or file beside it; with all that is in it.
    """

    tests: str
    concerns: str
    engine: str = ""


EVERY_ENGINE = (
    "storage/[!psw]*.py storage/pending_write.py storage/saved_states.py storage/stored_rows.py "
    "storage/encryption tables server wire assembly model errors.py clock.py bounded_cache.py"
)
"""What servers on PostgreSQL and in a directory run."""
CORE = f"storage {EVERY_ENGINE}"
"""What every server runs: whatever kills servers, cuts the power or searches is run for it."""
REQUESTS = "api/apis.py api/service_api.py api/steps api/requests api/dynamodb expressions"
WRITES = " ".join(
    f"tests/api/test_{name}.py"
    for name in (
        "put_item",
        "delete_item",
        "batch_write_item",
        "update_item",
        "transact_write_items",
        "index_updates",
        "streams",
        "time_to_live",
    )
)
"""Those of the Makefile, which run with workers."""
UNIT = (
    "access api assembly background backups capacity dax expressions messages model observe "
    "regions server storage tables wire"
)
"""Packages whose unit tests have properties."""
ROWS = (
    Row("tests/crash/*", CORE),
    Row("tests/power/*", f"{EVERY_ENGINE} storage/sqlite storage/workers"),
    Row("tests/workers/*", f"{EVERY_ENGINE} storage/sqlite storage/workers observe"),
    Row("tests/servers/*", f"{CORE} background"),
    Row("tests/engines/*", CORE),
    Row("tests/model/*", f"{CORE} {REQUESTS} background backups regions"),
    Row("tests/simulation/*", f"{CORE} {REQUESTS} background backups regions"),
    Row("tests/fuzz/*", f"{CORE} {REQUESTS} access api capacity dax limits"),
    Row("tests/triggers/*", f"{CORE} background"),
    Row("tests/copying/*", f"{CORE} tools/copying"),
    Row("tests/sinks/*", "tools/sinks"),
    Row("tests/scanning/*", f"{CORE} tools/scanning tools/sql tools/copying"),
    Row("tests/api/*", f"{EVERY_ENGINE} storage/postgres {REQUESTS} background", engine="postgres"),
    Row(WRITES, "storage/workers assembly/workers", engine="workers"),
    # By subject: what else these tests would notice.
    Row("tests/crash/*backup* tests/crash/*export* tests/crash/*import*", "backups background"),
    Row("tests/crash/test_transfers.py tests/crash/test_kill.py", REQUESTS),
    Row("tests/crash/*expiry* tests/crash/*indexing*", "background"),
    Row("tests/crash/*replication*", "regions background"),
    Row("tests/crash/*throttled*", "api/admission capacity"),
    Row("tests/crash/*audit*", "api/audit"),
    Row("tests/servers/*strong* tests/servers/*region*", "regions api/dynamodb/replicas"),
    Row("tests/servers/*backup* tests/servers/*jobs*", "backups"),
    Row("tests/servers/*salvage*", "tools/salvaging tools/copying cli/salvage.py"),
    Row("tests/servers/*dax* tests/workers/*dax*", "dax api/aws_services/dax_clusters"),
    Row("tests/api/*dax*", "dax server/dax", engine="postgres"),
    Row("tests/api/*dax_upstream*", "dax server/dax"),
    Row(
        "tests/api/*switches* tests/api/*over_time*",
        f"{REQUESTS} api/admission api/aws_services/scaling",
    ),
    Row("tests/api/*postgres* tests/api/*overload* tests/api/*snapshots*", f"{CORE} background"),
    Row("tests/api/*testing_clock* tests/api/*tls*", f"{CORE} background access/identities"),
    Row("tests/api/*together* tests/api/*replica* tests/api/*replication*", f"{CORE} regions"),
    Row("tests/api/*peer* tests/api/*global_tables*", "regions background"),
    Row("tests/api/*backups*", f"{CORE} backups background"),
    Row("tests/api/*identities*", "access api/iam cli"),
    Row("tests/crash/*metrics*", "observe server background"),
    Row(
        "tests/api/*cloudwatch* tests/api/*dashboards* tests/api/*insight_rules*",
        "api/aws_services/cloudwatch observe server assembly",
    ),
    Row("tests/api/*grafana*", "api/aws_services/cloudwatch"),
    Row("tests/api/*stored_credentials* tests/access/*", "access api/authorization api/iam"),
    Row("tests/api/*access_log*", "server assembly"),
    Row("tests/clients/*promtool*", "examples observe"),
    Row("tests/api/*bench* tests/servers/*bench*", "bench tests/crash/server.py"),
    Row("tests/api/*readme*", "README.md testing*.py process.py pytest_plugin.py"),
    # Other people's clients and programs.
    Row("tests/clients/test_*", f"{REQUESTS} server wire model tables/streams access/signatures"),
    Row(
        "tests/clients/test_presets.py tests/clients/test_action.py",
        "clients action.yml process.py",
    ),
    Row("tests/clients/test_mcp.py", "cli tools"),
    Row("tests/clients/dax/*", "dax server/dax access/signatures"),
    Row("tests/clients/*simulate* tests/clients/*terraform*", "access api/authorization api/iam"),
    Row("tests/clients/*terraform*", "api/aws_services/scaling"),
    Row("tests/clients/*designs* tests/clients/*templates*", "tools"),
    Row("tests/clients/*testing_page*", "testing*.py process.py pytest_plugin.py docs/testing.md"),
    Row("tests/clients/*testcontainers*", "docs/testing.md"),
    Row("tests/clients/*documented*", "docs/clients.md"),
    Row("tests/console/*", "console server wire access/identities vendor testing_pages.py"),
    Row("tests/container/*", "Dockerfile compose.yaml container deploy cli/commands.py"),
    Row("tests/release/*", "cli/commands.py console/static/index.html"),
    Row("tests/api/*readme*", "README.md"),
    Row("tests/docs/*", "README.md docs/*.md docs/cases mkdocs.yml cli tools"),
    Row("tests/examples/*", "examples capacity tools"),
    Row("tests/unit/tools/*", "tools examples"),
    Row("tests/unit/test_cli_design* tests/unit/test_cli_platforms.py", "tools cli server"),
    Row("tests/unit/test_cli_top.py", "cli observe server/monitor.py"),
    Row("tests/unit/api/admission/*", "capacity"),
    Row("tests/unit/test_pytest_plugin.py", "testing*.py process.py pytest_plugin.py"),
    # Properties, with more examples.
    *(Row(f"tests/unit/{name}/*", name) for name in UNIT.split()),
)
SHORT = (
    f"{FULL_RUN} .githooks .gitignore .dockerignore LICENSE ARCHITECTURE.md CHANGELOG.md "
    "CONTRIBUTING.md SECURITY.md docs messages settings __init__.py __main__.py py.typed "
    "optional_packages.py"
)
"""What no long test concerns: `make check` and `make test` hold it."""
TEXTS = {"tests/README.md"}


def is_in(path: str, names: str) -> bool:
    """Whether a path is one of these, of src or beside it, or in one of them."""
    patterns = (prefix + name for name in names.split() for prefix in ("", PACKAGE))
    return any(fnmatch(path, each) or path.startswith(f"{each}/") for each in patterns)


def is_known(path: str) -> bool:
    """Whether the table says what a file concerns, if only that it concerns no long test."""
    return is_in(path, " ".join([SHORT, *(row.concerns for row in ROWS)]))


def selected(
    changed: Collection[str], imports: Mapping[str, Collection[str]]
) -> dict[str, list[str]] | None:
    """The files of the long tests by their engine, or None for all.

    `imports` are the modules of tests, each with those that it imports, all as paths.
    """
    tests = {path for path in changed if path.startswith("tests/")}
    if not all(is_known(path) for path in set(changed) - tests):
        return None
    touched = {module for path in tests for module in _users(path, imports)}
    chosen: dict[str, set[str]] = {}
    for row in ROWS:
        near = imports if any(is_in(path, row.concerns) for path in changed) else touched
        files = {path for path in near if _is_test(path) and is_in(path, row.tests)}
        chosen.setdefault(row.engine, set()).update(files)
    return {engine: sorted(files) for engine, files in chosen.items() if files}


def _is_test(path: str) -> bool:
    return path.rpartition("/")[2].startswith("test_")


def _users(path: str, imports: Mapping[str, Collection[str]]) -> set[str]:
    """The modules that import a file of tests, over others too; of data, those of its folder."""
    if path in TEXTS:
        return set()
    found = {path} & imports.keys()
    while more := {each for each, names in imports.items() if found & set(names)} - found:
        found |= more
    if any(_is_test(each) for each in found):
        return found
    folder = "/".join(path.split("/")[:-1][:2])
    return {each for each in imports if each.startswith(f"{folder}/")}


def imports_of(path: str, tree: ast.Module) -> set[str]:
    """The modules of tests that one imports, and the conftest.py of each folder above it."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update({node.module, *(f"{node.module}.{each.name}" for each in node.names)})
    parents = Path(path).parents
    return {f"{name.replace('.', '/')}.py" for name in names if name.startswith("tests.")} | {
        f"{parent.as_posix()}/conftest.py" for parent in parents if parent != Path()
    }


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None where there is no git, no repository, or no such commit."""
    try:
        run = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout


def _changed(root: Path, commit: str) -> list[str] | None:
    """The paths that differ from a commit, old names too; None if HEAD does not contain it."""
    if _git(root, "merge-base", "--is-ancestor", commit, "HEAD") is None:
        return None
    listed = [
        _git(root, "diff", "--name-only", "--no-renames", "-z", commit),
        _git(root, "ls-files", "--others", "--exclude-standard", "-z"),
    ]
    if None in listed:
        return None
    return [path for text in listed for path in (text or "").split("\0") if path]


def runs(root: Path) -> Iterator[str]:
    """Lines of arguments for pytest, or `all`."""
    recorded = root / FULL_RUN
    commit = recorded.read_text("utf-8").split()[0] if recorded.exists() else ""
    changed = _changed(root, commit) if commit else None
    modules = [path.relative_to(root).as_posix() for path in (root / "tests").rglob("*.py")]
    imports = {path: imports_of(path, ast.parse((root / path).read_bytes())) for path in modules}
    chosen = None if changed is None else selected(changed, imports)
    if chosen is None:
        yield "all"
        return
    for engine, files in chosen.items():
        yield " ".join([f"--engine={engine}"] * bool(engine) + files)


def commit_of(root: Path) -> str:
    """The commit that is checked out; nothing if a file differs from it, or git does not say."""
    commit = _git(root, "rev-parse", "HEAD")
    differs = _git(root, "status", "--porcelain", "--", ".", f":!{FULL_RUN}")
    return commit.strip() if commit and differs == "" else ""


def record(commit: str, arguments: Collection[str], root: Path) -> bool:
    """Writes the commit of a run with these arguments, if that left out and skipped no test."""
    if not commit or not is_full(arguments):
        return False
    today = dt.datetime.now(dt.UTC).date()
    (root / FULL_RUN).write_text(f"{commit} {today}\n", "utf-8")
    return True


def is_full(arguments: Collection[str]) -> bool:
    """Whether `make test-all` with these arguments leaves out no test, and skips none."""
    shown = ("-v", "-q", "--durations")
    return set(arguments) >= FLAGS and all(
        each in FLAGS or each.startswith(shown) for each in arguments
    )


def main() -> None:
    """Prints the runs, or the commit that is checked out, or records that one passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tested", action="store_true", help="print the commit of this folder")
    parser.add_argument(
        "--record", nargs=argparse.REMAINDER, metavar="WORD", help="COMMIT, arguments of pytest"
    )
    chosen = parser.parse_args()
    if chosen.tested:
        print(commit_of(ROOT))
    elif chosen.record is None:
        print("\n".join(runs(ROOT)))
    elif record(chosen.record[0], chosen.record[1:], ROOT):
        print(f"recorded in {FULL_RUN}: commit it")
    else:
        print(f"not recorded: files differ from a commit, or without {' '.join(sorted(FLAGS))}")


if __name__ == "__main__":
    main()
