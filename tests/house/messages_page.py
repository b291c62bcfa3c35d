"""docs/messages.md: the texts of `hashrange.messages`, by the numbers of the catalogue."""

import ast
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tests.house.catalogue import MESSAGES, NUMBERS, carriers, cited, explained
from tests.house.sources import PACKAGE, relative, tree

_PAGE: Final = """\
# Messages

{generated}

Every text of an error as this server sends it, with the function of `src/hashrange/messages` that
returns it. Names in braces stand for values. Spelling, missing spaces and double spaces are
DynamoDB's.

## Texts of the message catalogue

The catalogue numbers the texts that the service is known to send. Its groups: 1 to 26 members and
names, 30 to 47 values, 50 to 63 keys, 70 to 102 expressions, 105 to 109 updates and conditions, 110
to 132a queries and scans, 133 to 165 tables, 170 to 196 vector indexes, 200 to 206 transactions,
210 to 227 parameters from before expressions, 230 to 275 PartiQL, 280 to 287 resources and
throttling. A test of the tests holds that each number is tested, or explained in
[differences.md](differences.md).

| Number | Text | Function | Tests |
|---|---|---|---|
{numbered}
## Texts without a number

Their source is in the docstring of the function: measurements and captures of the service,
documentation, other implementations, or this server, for what DynamoDB does not have.

| Text | Function |
|---|---|
{others}"""

_HELPERS: Final = {"tables/dates.py"}
"""Modules of parts of texts, which need their real arguments."""


class _Figure(int):
    """A number that is printed as the name of a parameter."""

    name: str

    def __format__(self, _form: str) -> str:
        return "{" + self.name + "}"


def messages_page(generated: str) -> str:
    """The page; `generated` says which command writes it."""
    numbered: dict[str, list[tuple[str, str]]] = {}
    others: list[str] = []
    for path in MESSAGES:
        name = path.relative_to(PACKAGE / "messages").as_posix()
        if name in _HELPERS:
            continue
        for function, numbers in _functions(path):
            row = (f"{_code(_text(function))}", f"`{name.removesuffix('.py')}.{function.__name__}`")
            for number in dict.fromkeys(numbers):
                numbered.setdefault(number, []).append(row)
            if not numbers:
                others.append(f"| {row[0]} | {row[1]} |\n")
    return _PAGE.format(
        generated=generated, numbered="".join(_rows(numbered)), others="".join(others)
    )


def _functions(path: Path) -> Iterator[tuple[Callable[..., str], list[str]]]:
    dotted = path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
    module = import_module(dotted)
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield getattr(module, node.name), cited(node)


def _text(function: Callable[..., str]) -> str:
    """The text with the names of the parameters in the place of their values."""
    parameters = inspect.signature(function).parameters.values()
    return function(
        **{each.name: _placeholder(each) for each in parameters if each.default is each.empty}
    )


def _placeholder(parameter: inspect.Parameter) -> Any:
    name, kind = "{" + parameter.name + "}", str(parameter.annotation)
    if parameter.annotation is int:
        figure = _Figure(0)
        figure.name = parameter.name
        return figure
    if "tuple" in kind:
        return [("{name}", "{type}", "{role}")]
    if "Sequence" in kind or "Iterable" in kind:
        return [name]
    return name


def _rows(numbered: dict[str, list[tuple[str, str]]]) -> Iterator[str]:
    tested, untested = carriers(), explained()
    for number in sorted(NUMBERS, key=lambda text: (int(text.rstrip("a")), text)):
        if number in untested:
            continue
        texts = numbered.get(number, [])
        tests = ", ".join(f"[{path.stem}](../{relative(path)})" for path in tested[number])
        shown = "<br>".join(text for text, _ in texts)
        functions = "<br>".join(function for _, function in texts)
        yield f"| {number} | {shown} | {functions} | {tests} |\n"


def _code(text: str) -> str:
    mark = "``" if "`" in text else "`"
    return mark + text.replace("|", r"\|").replace("\n", r"\n") + mark
