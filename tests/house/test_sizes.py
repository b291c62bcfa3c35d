"""Sizes and names: what fits in a head, and is found again."""

import ast

from tests.house.sources import PYTHON, SOURCES, breaking, is_generated, nodes, relative

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
CLASS_LINES_MAX = 200
CLASS_METHODS_MAX = 15
PARAMETERS_MAX = 6
EMPTY_NAMES = {
    "base",
    "common",
    "core",
    "helper",
    "helpers",
    "manager",
    "managers",
    "misc",
    "services",
    "util",
    "utils",
}

# Exceptions, each with its reason. A list that grows is a rule that is wrong.
LONG_MODULES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
LARGE_CLASSES: dict[str, str] = {
    "src/hashrange/server/http2.py::Http2Connection": "methods of asyncio and of Client",
    "src/hashrange/server/http2.py::_StreamTransport": "methods of asyncio",
    "src/hashrange/settings/settings.py::Settings": "the table of settings: a field is a row",
}
MANY_PARAMETERS: dict[str, str] = {}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _lines(node):
    return node.end_lineno - node.lineno + 1


def _functions(path):
    return [node for node in nodes(path) if isinstance(node, Function)]


def _classes(path):
    return [node for node in nodes(path) if isinstance(node, ast.ClassDef)]


def _parameters(function):
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return [argument for argument in named if argument.arg not in {"self", "cls"}]


def _too_large(found, exceptions):
    """What breaks the rule without being listed, and what is listed without breaking it."""
    return sorted(set(found) - set(exceptions)), sorted(set(exceptions) - set(found))


def test_modules_are_short():
    by_hand = [path for path in PYTHON if not is_generated(path)]
    lines = {relative(path): len(path.read_text("utf-8").splitlines()) for path in by_hand}
    found = [name for name, count in lines.items() if count > MODULE_LINES_MAX]
    assert _too_large(found, LONG_MODULES) == ([], [])


def _empty_names(path):
    yield from EMPTY_NAMES.intersection(relative(path).removesuffix(".py").split("/"))
    if path.stem.startswith("_") and path.stem not in {"__init__", "__main__"}:
        yield path.stem


def test_modules_are_named_for_what_they_hold():
    assert breaking(PYTHON, _empty_names) == {}


def test_functions_fit_on_a_screen():
    found = [
        f"{relative(path)}::{function.name}"
        for path in PYTHON
        for function in _functions(path)
        if _lines(function) > FUNCTION_LINES_MAX
    ]
    assert _too_large(found, LONG_FUNCTIONS) == ([], [])


def test_functions_take_few_parameters():
    found = [
        f"{relative(path)}::{function.name}"
        for path in SOURCES
        for function in _functions(path)
        if len(_parameters(function)) > PARAMETERS_MAX
    ]
    assert _too_large(found, MANY_PARAMETERS) == ([], [])


def test_classes_have_one_reason_to_hold_state():
    found = [
        f"{relative(path)}::{kind.name}"
        for path in SOURCES
        for kind in _classes(path)
        if _lines(kind) > CLASS_LINES_MAX
        or sum(isinstance(member, Function) for member in kind.body) > CLASS_METHODS_MAX
    ]
    assert _too_large(found, LARGE_CLASSES) == ([], [])
