"""Tests give time, limits and doubles as arguments; only what takes none sleeps or is patched."""

import ast

import pytest

from tests.house.sources import TESTS, breaking, nodes, relative

SLEEPS_MAX = 6
PATCHES_MAX = 36
"""Those that there are; a new one replaces another."""
SLEEP = "sleep" + "("
PATCHING = {
    *("setattr", "delattr", "setitem", "delitem"),
    *("setenv", "delenv", "chdir", "syspath_prepend"),
}
SETTING = {"setenv", "delenv", "setitem", "delitem"}
"""They name no attribute."""
NOT_CONSTANT = {
    "tests/docs/snippets.py": ["DEFAULT_SESSION"],  # boto3 replaces it: each page has its own
}


def _patches(within):
    """Calls of pytest's and of the library's patches."""
    for node in within:
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=ast.Name(id=owner))) if (
                name in PATCHING and owner not in {"os", "contextlib"}
            ) or (owner == "patch" and name in {"object", "dict"}):
                yield node
            case ast.Call(func=ast.Name(id="patch") | ast.Attribute(attr="patch")):
                yield node


def _constants(within):
    """Names of constants that are patched."""
    for node in _patches(within):
        for argument in node.args[:2]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                name = argument.value.rpartition(".")[2]
                if name.isupper() and getattr(node.func, "attr", "") not in SETTING:
                    yield name


def test_tests_hardly_wait():
    found = {relative(path): path.read_text("utf-8").count(SLEEP) for path in TESTS}
    assert sum(found.values()) <= SLEEPS_MAX, {
        name: count for name, count in found.items() if count
    }


def test_tests_hardly_patch():
    found = breaking(TESTS, lambda path: [node.lineno for node in _patches(nodes(path))])
    assert sum(map(len, found.values())) <= PATCHES_MAX, found


def test_no_constant_is_patched():
    assert breaking(TESTS, lambda path: _constants(nodes(path))) == NOT_CONSTANT


@pytest.mark.parametrize(
    ("text", "patches", "constants"),
    [
        ('monkeypatch.setattr(limits, "ITEMS_MAX", 2)', 1, ["ITEMS_MAX"]),
        ('patched.setattr("a.b.ITEMS_MAX", 2)', 1, ["ITEMS_MAX"]),
        ('patch.object(limits, "ITEMS_MAX", 2)', 1, ["ITEMS_MAX"]),
        ('mock.patch("a.b.call")', 1, []),
        ('monkeypatch.setenv("HOME", "/")', 1, []),
        ('os.chdir("/")', 0, []),
        ("page_of(engine, rows_max=2)", 0, []),
    ],
)
def test_the_rules_find_them(text, patches, constants):
    within = list(ast.walk(ast.parse(text)))
    assert (len(list(_patches(within))), list(_constants(within))) == (patches, constants)
