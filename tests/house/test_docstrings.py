"""Docstrings name parameters that exist, and begin with their subject."""

import ast
import re

from tests.house.sources import SOURCES, breaking, nodes

Function = ast.FunctionDef | ast.AsyncFunctionDef
SECTION = re.compile(r"^Args:\n((?:    .*\n?|\n)+)", re.MULTILINE)
UNNAMED = re.compile(r"(?:Those|Who|Whoever|What|Whatever|Whose|That of)\b")
NAMES = re.compile(r"^    ((?:\w+, )*\w+):(?: |$)", re.MULTILINE)


def _parameters(node):
    """The parameters of a function, or of the constructor of a class; its fields, too."""
    if isinstance(node, ast.ClassDef):
        fields = {
            field.target.id
            for field in node.body
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        }
        made = [
            each for each in node.body if isinstance(each, Function) and each.name == "__init__"
        ]
        return fields.union(*map(_parameters, made))
    named = node.args
    further = [each for each in (named.vararg, named.kwarg) if each is not None]
    return {each.arg for each in (*named.posonlyargs, *named.args, *named.kwonlyargs, *further)}


def _vanished(path):
    for node in nodes(path):
        if not isinstance(node, Function | ast.ClassDef):
            continue
        section = SECTION.search(ast.get_docstring(node) or "")
        known = _parameters(node)
        if section is None or not known:
            continue  # a class that its base makes
        for names in NAMES.findall(section[1]):
            yield from (f"{node.name}: {name}" for name in names.split(", ") if name not in known)


def test_arguments_in_docstrings_are_parameters():
    assert breaking(SOURCES, _vanished) == {}


def _unnamed(path):
    """Docstrings, also of attributes, without a noun that names their subject."""
    for node in nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str) and UNNAMED.match(text.strip()):
                yield text.strip().splitlines()[0]


def test_docstrings_begin_with_their_subject():
    assert breaking(SOURCES, _unnamed) == {}
