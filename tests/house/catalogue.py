"""The message catalogue: its numbers, the functions that cite them and the tests that carry them.

The rows and docstrings of `hashrange.messages` have the numbers. A test that carries a number has a
parameter `number`, and a row for each.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

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
"""All numbers; the groups of the catalogue leave gaps for texts to come."""

CARRIERS = re.compile(r"tests/api/test_\w+\.py|tests/unit/api/dynamodb/test_messages_\w+\.py")
SECTION = "## Messages that nothing is refused with"
ROW = re.compile(r"^\| (\d+a?(?:(?:, | to )\d+)*) \| (.+) \|$", re.MULTILINE)
CITED = re.compile(r"[Cc]atalogue (\d+a?(?:(?:, | and | to )\d+a?)*)")
MESSAGES = [path for path in SOURCES if PACKAGE / "messages" in path.parents]


def _valued(module: ast.Module, node: ast.expr) -> ast.expr:
    """The value of a name that a module assigns at its top."""
    if isinstance(node, ast.Name):
        for statement in module.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                    return value
    return node


def _rows(node: ast.expr, width: int) -> Iterator[list[ast.expr]]:
    """The rows of a parametrized test, also those inside of comprehensions."""
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


def spread(text: str) -> Iterator[str]:
    """`1, 3 to 5` is 1, 3, 4 and 5."""
    for part in re.split(", | and ", text):
        first, _, last = part.partition(" to ")
        if last:
            yield from map(str, range(int(first), int(last) + 1))
        else:
            yield first


def explained() -> dict[str, str]:
    """Why a number has no test, by number, from docs/internals/not-known.md."""
    text = (ROOT / "docs" / "internals" / "not-known.md").read_text("utf-8")
    _, _, rest = text.partition(f"\n{SECTION}\n")
    assert rest, f"docs/internals/not-known.md has no section {SECTION!r}"
    section = re.split("^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    rows = [
        (number, reason) for numbers, reason in ROW.findall(section) for number in spread(numbers)
    ]
    assert len(dict(rows)) == len(rows), "a number stands there twice"
    return dict(rows)


def carriers() -> Mapping[str, list[Path]]:
    """The test modules that carry each number."""
    found: dict[str, list[Path]] = {}
    for path in TESTS:
        if CARRIERS.fullmatch(relative(path)):
            for number in dict.fromkeys(_carried(tree(path))):
                found.setdefault(number, []).append(path)
    return {number: paths for number, paths in found.items() if number in NUMBERS}


def text_rows(path: Path) -> list[ast.Assign]:
    """The rows of a module of texts: `name = Text("…", 151)`."""
    return [
        node
        for node in tree(path).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "Text"
    ]


def cited(node: ast.FunctionDef | ast.Module | ast.Assign) -> list[str]:
    """The numbers that a docstring cites, or that the row of a text has."""
    if isinstance(node, ast.Assign):
        numbers = node.value.args[1:] if isinstance(node.value, ast.Call) else []
        return [str(ast.literal_eval(number)) for number in numbers]
    text = ast.get_docstring(node) or ""
    return [number for part in CITED.findall(text) for number in spread(part)]
