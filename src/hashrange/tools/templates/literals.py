"""Literals of programming languages: on one line if they fit, else a line for each member. Pure."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

WIDTH: Final = 100
"""Of the lines of programs."""


class Style(msgspec.Struct, frozen=True, kw_only=True):
    """How a language writes literals.

    Attributes:
        scalar: the text of a value that is neither a dictionary nor a list.
        key: the text of a key of a dictionary.
        indent: spaces of one level.
        space: between braces and members on one line.
    """

    scalar: Callable[[Any], str]
    key: Callable[[str], str]
    indent: int
    space: str


def literal(node: Any, style: Style, *, level: int = 0, used: int = 0, after: int = 1) -> str:
    """The text of data.

    Args:
        node: dictionaries, lists, and scalars.
        style: of the language.
        level: levels of indentation of the line.
        used: characters before the literal on its line, without indentation.
        after: characters behind it.
    """
    match node:
        case dict() if node:
            members = [(f"{style.key(name)}: ", value) for name, value in node.items()]
            opening, closing, space = "{", "}", style.space
        case list() if node:
            members = [("", value) for value in node]
            opening, closing, space = "[", "]", ""
        case _:
            return style.scalar(node)
    short = ", ".join(f"{name}{_one_line(value, style)}" for name, value in members)
    short = f"{opening}{space}{short}{space}{closing}"
    if level * style.indent + used + len(short) + after <= WIDTH:
        return short
    spaces = " " * style.indent * (level + 1)
    lines = [
        f"{spaces}{name}{literal(value, style, level=level + 1, used=len(name))},\n"
        for name, value in members
    ]
    return f"{opening}\n{''.join(lines)}{' ' * style.indent * level}{closing}"


def _one_line(node: Any, style: Style) -> str:
    return literal(node, style, used=-10_000)
