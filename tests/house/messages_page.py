"""The texts of `hashrange.messages` as a page, by the numbers of the catalogue."""

import ast
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any, Final

from hashrange.messages.text import Text
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
[not-known.md](not-known.md).

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
        for text, found, numbers in _texts(path):
            row = (_code(text), f"`{name.removesuffix('.py')}.{found}`")
            for number in dict.fromkeys(numbers):
                numbered.setdefault(number, []).append(row)
            if not numbers:
                others.append(f"| {row[0]} | {row[1]} |\n")
    return _PAGE.format(
        generated=generated, numbered="".join(_rows(numbered)), others="".join(others)
    )


def _texts(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Each text of a module with its name and the numbers of the catalogue."""
    dotted = path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
    module = import_module(dotted)
    for node in tree(path).body:
        match node:
            case ast.FunctionDef(name=name) if not name.startswith("_"):
                yield _text(getattr(module, name)), name, cited(node)
            case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                if isinstance(text := getattr(module, name), Text):
                    yield _template(text), name, cited(node)


def _template(text: Text) -> str:
    # A text without placeholders is not a template: its braces stand for themselves.
    is_plain = not any(name for _, name, _, _ in Formatter().parse(text.template))
    return text.template if is_plain else text.template.replace("{{", "{").replace("}}", "}")


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
        tests = ", ".join(f"[{path.stem}](../../{relative(path)})" for path in tested[number])
        shown = "<br>".join(text for text, _ in texts)
        functions = "<br>".join(function for _, function in texts)
        yield f"| {number} | {shown} | {functions} | {tests} |\n"


def _code(text: str) -> str:
    mark = "``" if "`" in text else "`"
    return mark + text.replace("|", r"\|").replace("\n", r"\n") + mark
