"""Every message of the catalogue is tested by its number, or its absence is explained.

The numbers are those of the project's message catalogue, which the docstrings of
`hashrange.messages` cite. A test that carries one has a parameter `number`, and a row for each.
"""

import ast
import re
from collections.abc import Iterator
from itertools import chain

import pytest

from tests.house.sources import PACKAGE, ROOT, SOURCES, TESTS, relative, tree

NUMBERS = {
    "132a",
    *(
        str(number)
        for number in chain(
            range(1, 27),
            range(30, 48),
            range(50, 64),
            range(70, 103),
            range(105, 166),
            range(170, 197),
            range(200, 207),
            range(210, 228),
            range(230, 276),
            range(280, 288),
        )
    ),
}
"""What the catalogue has; its groups leave gaps for what may come."""

CARRIERS = re.compile(r"tests/api/test_\w+\.py|tests/unit/operations/test_messages_\w+\.py")
SECTION = "## Messages that nothing is refused with"
ROW = re.compile(r"^\| (\d+a?(?:(?:, | to )\d+)*) \| (.+) \|$", re.MULTILINE)
CITED = re.compile(r"[Cc]atalogue (\d+a?(?:(?:, | and | to )\d+a?)*)")
MESSAGES = [path for path in SOURCES if PACKAGE / "messages" in path.parents]


def _valued(module: ast.Module, node: ast.expr) -> ast.expr:
    """What a name at the top of a module stands for."""
    if isinstance(node, ast.Name):
        for statement in module.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                    return value
    return node


def _rows(node: ast.expr, width: int) -> Iterator[list[ast.expr]]:
    """The rows of a parametrized test, those inside of comprehensions too."""
    for part in ast.walk(node):
        match part:
            case ast.Tuple(elts=cells) if len(cells) == width:
                yield cells
            case ast.Call(func=ast.Attribute(attr="param"), args=cells) if len(cells) == width:
                yield cells


def _carried(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="parametrize"), args=[ast.Tuple() as named, rows]
            ):
                names = [ast.literal_eval(name) for name in named.elts]
                if "number" not in names:
                    continue
                place = names.index("number")
                for cells in _rows(_valued(module, rows), len(names)):
                    match cells[place]:
                        case ast.Constant(value=int() | str() as number):
                            yield str(number)


def _spread(text: str) -> Iterator[str]:
    """`1, 3 to 5` is 1, 3, 4 and 5."""
    for part in re.split(", | and ", text):
        first, _, last = part.partition(" to ")
        if last:
            yield from map(str, range(int(first), int(last) + 1))
        else:
            yield first


def _explained() -> dict[str, str]:
    text = (ROOT / "docs" / "differences.md").read_text("utf-8")
    _, _, rest = text.partition(f"\n{SECTION}\n")
    assert rest, f"docs/differences.md has no section {SECTION!r}"
    section = re.split("^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    rows = [
        (number, reason) for numbers, reason in ROW.findall(section) for number in _spread(numbers)
    ]
    assert len(dict(rows)) == len(rows), "a number stands there twice"
    return dict(rows)


@pytest.fixture(scope="module")
def tested() -> set[str]:
    files = [path for path in TESTS if CARRIERS.fullmatch(relative(path))]
    return NUMBERS & {number for path in files for number in _carried(tree(path))}


def test_each_is_tested_or_explained(tested):
    explained = set(_explained())
    assert sorted(NUMBERS - tested - explained) == [], "give a test a row for them, or explain them"
    assert sorted(tested & explained) == [], "they are tested: take them out of differences.md"
    assert sorted(explained - NUMBERS) == []


@pytest.mark.parametrize("path", MESSAGES, ids=relative)
def test_what_messages_cite_is_tested(path, tested):
    documented = (ast.FunctionDef, ast.Module)
    texts = [
        ast.get_docstring(node) or ""
        for node in ast.walk(tree(path))
        if isinstance(node, documented)
    ]
    cited = {number for text in texts for part in CITED.findall(text) for number in _spread(part)}
    assert sorted(cited - tested) == []
