"""Words: docstrings, comments, and what must not stand in a public project."""

import ast
import re

from tests.house.sources import (
    FILES,
    PACKAGE,
    PYTHON,
    SOURCES,
    breaking,
    comments,
    is_generated,
    relative,
    tree,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
TEXTS = {".cfg", ".json", ".lua", ".md", ".py", ".sh", ".toml", ".txt", ".yaml", ".yml", ""}
TASK_WORD = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
TASK_FORM = re.compile(r"# TODO: .*https://\S+$")
# Paths of the places where somebody worked; spelt in pieces so that this file does not match.
PRIVATE_PATH = re.compile("/" + r"work\b|\bsha" + "red/|/" + "root/")


def _public(body, prefix=""):
    """Public classes and functions, and the public methods of public classes."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body, node.name + ".")


def _bare(path):
    module = tree(path)
    if not ast.get_docstring(module):
        yield "the module"
    yield from (name for name, node in _public(module.body) if not ast.get_docstring(node))


def test_what_is_public_has_a_docstring():
    by_hand = [path for path in SOURCES if not is_generated(path)]
    assert breaking(by_hand, _bare) == {}


def _pointing(path):
    for name, node in _public(tree(path).body):
        if re.fullmatch(r"See `[^`]+`\.", ast.get_docstring(node) or ""):
            yield name


def test_docstrings_say_it_themselves():
    assert breaking(SOURCES, _pointing) == {}


# The root is the exception: it holds the public names.
PACKAGE_FILES = [path for path in SOURCES if path.name == "__init__.py" and path.parent != PACKAGE]


def _lacking(path):
    lines = (ast.get_docstring(tree(path)) or "").splitlines()
    if len(lines) <= 2:
        yield "its contents, its neighbours, and the module to begin with"
    if len(tree(path).body) != 1:
        yield "nothing but that"


def test_package_says_what_lives_in_it():
    assert breaking(PACKAGE_FILES, _lacking) == {}


def _loose(path):
    if not TASK_WORD.search(path.read_text("utf-8")):
        return
    for text in comments(path).values():
        if TASK_WORD.search(text) and not TASK_FORM.fullmatch(text):
            yield text


def test_open_tasks_are_links():
    assert breaking(PYTHON, _loose) == {}


def test_no_private_paths():
    found = []
    for path in FILES:
        if path.suffix not in TEXTS or path.stat().st_size > 1024 * 1024:
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if PRIVATE_PATH.search(line):
                found.append(f"{relative(path)}:{number}: {line.strip()}")
    assert found == []


def test_files_are_small():
    large = [relative(path) for path in FILES if path.stat().st_size > 1024 * 1024]
    assert large == []
