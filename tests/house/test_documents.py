"""Documents stay true: what they list is compared with what there is."""

import ast
import re
import tomllib

import pytest

from hashrange import __version__
from tests.house.reference import PAGES
from tests.house.sources import MARKDOWN, PACKAGE, ROOT, SOURCES, TESTS, relative, tree

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _text(name):
    return (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_generated_page_is_up_to_date(name):
    assert _text(name) == PAGES[name](), "make reference"


def _anchors(text):
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text)]
    return {heading.strip().replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("path", MARKDOWN, ids=relative)
def test_links_lead_somewhere(path):
    dead = []
    for link in LINK.findall(path.read_text("utf-8")):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (anchor and anchor not in _anchors(target.read_text("utf-8"))):
            dead.append(link)
    assert dead == []


def _drawn_tree():
    """Names at the two levels of the tree in ARCHITECTURE.md: folders end with a slash."""
    drawing = re.search(r"```tree\n(.*?)```", _text("ARCHITECTURE.md"), re.DOTALL)
    assert drawing, "the tree stands in a fence marked tree"
    return {line.split()[0] for line in drawing[1].splitlines() if line.strip()}


def test_architecture_draws_the_folders_that_there_are():
    rooms = (path.relative_to(PACKAGE).parts[:-1] for path in SOURCES if path.parent != PACKAGE)
    packages = {f"{name}/" for room in rooms for name in room[:2]}
    modules = {path.name for path in SOURCES if path.parent == PACKAGE} - {"__init__.py"}
    folders = {
        path.relative_to(ROOT / "tests").parts[0] for path in TESTS if path.parent.name != "tests"
    }
    expected = packages | modules | {"src/hashrange/", "bench/", "docs/", "examples/", "tests/"}
    assert _drawn_tree() == expected
    assert set(re.findall(r"^\| `tests/(\w+)/`", _text("tests/README.md"), re.MULTILINE)) == folders


def test_each_dependency_is_explained():
    project = tomllib.loads(_text("pyproject.toml"))["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in named}
    explained = set(re.findall(r"\*\*([\w-]+)\*\*", _text("docs/dependencies.md")))
    assert explained == names


MODULES = {"apsw-sqlite3mc": "apsw"}
"""Modules that do not have the name of their package."""


# A dependency that nothing imports costs its users for nothing.
def test_each_dependency_is_used():
    project = tomllib.loads(_text("pyproject.toml"))["project"]
    packages = {re.match(r"[\w-]+", wanted)[0] for wanted in project["dependencies"]}
    names = {MODULES.get(package, package.replace("-", "_")) for package in packages}
    imported = set()
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            match node:
                case ast.Import(names=modules):
                    imported.update(module.name.split(".")[0] for module in modules)
                case ast.ImportFrom(module=str(module)):
                    imported.add(module.split(".")[0])
                case ast.Call(
                    func=ast.Name("imported"), args=[ast.Constant(value=str(module)), *_]
                ):
                    imported.add(module.split(".")[0])
                case _:
                    pass
    assert names <= imported


def test_changelog_knows_this_version():
    text = _text("CHANGELOG.md")
    assert "## [Unreleased]" in text or f"## [{__version__}]" in text


def _strict_xfails():
    """Reasons of xfail marks in the tests, as literals."""
    for path in TESTS:
        for node in ast.walk(tree(path)):
            match node:
                case ast.Call(func=ast.Attribute(attr="xfail"), keywords=keywords):
                    reasons = [word.value for word in keywords if word.arg == "reason"]
                    assert reasons, f"{relative(path)}:{node.lineno}: an xfail without reason"
                    yield ast.literal_eval(reasons[0])
                case _:
                    pass


# A wrong answer that is known is a strict xfail and a line that users can read: both or none.
def test_known_wrong_answers_are_those_that_tests_expect():
    section = _text("docs/differences.md").partition("## Known wrong answers")[2]
    assert section
    listed = re.findall(r"^- (.+)$", section.partition("\n## ")[0], re.MULTILINE)
    assert sorted(listed) == sorted(set(_strict_xfails()))


# Without the second variable clients of streams talk to the real AWS.
@pytest.mark.parametrize("path", MARKDOWN, ids=relative)
def test_who_sets_the_endpoint_sets_that_of_streams(path):
    text = path.read_text("utf-8")
    setting = r"AWS_ENDPOINT_URL_DYNAMODB(_STREAMS)? ?= ?(\S+)"
    both = re.findall(setting, text)
    endpoints = [value for suffix, value in both if not suffix]
    assert [value for suffix, value in both if suffix] == endpoints


def test_readme_leads_to_the_differences():
    assert "(docs/differences.md)" in _text("README.md")


@pytest.mark.parametrize("path", sorted((ROOT / "docs/internals/adr").glob("*.md")), ids=relative)
def test_decision_has_its_four_parts(path):
    text = path.read_text("utf-8")
    assert re.match(r"# \d{4}\. .+\n\nStatus: (accepted|superseded by \[\d{4}\])", text)
    assert HEADING.findall(text)[1:] == ["Context", "Options", "Decision", "Consequences"]
    assert len(text.splitlines()) <= 60, "one page"


@pytest.mark.parametrize(
    ("page", "bytes_max", "lines_max"),
    [("ARCHITECTURE.md", 12 * 1024, 300), ("README.md", 12 * 1024, 200)],
)
def test_the_first_pages_stay_short(page, bytes_max, lines_max):
    text = _text(page)
    assert (len(text.encode()) <= bytes_max, len(text.splitlines()) <= lines_max) == (True, True)
