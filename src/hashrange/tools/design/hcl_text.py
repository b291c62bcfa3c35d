"""Texts of Terraform's language. Pure.

Source: Terraform, "Configuration Syntax" and "Strings and Templates"; the alignment is that of
`terraform fmt`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

_identifier: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*").fullmatch
_unprintable: Final = re.compile("[\x7f-\x9f\u2028\u2029]")


class Reference(msgspec.Struct, frozen=True):
    """An expression that is written as it is, such as the address of an attribute."""

    text: str


class Template(msgspec.Struct, frozen=True):
    """A text with the value of an expression between two others."""

    before: str
    expression: str
    after: str


class Block(msgspec.Struct, frozen=True):
    """A block with its labels; members are values, and blocks in their order."""

    kind: str
    labels: tuple[str, ...] = ()
    members: "Sequence[Member]" = ()


Member: TypeAlias = "Block | tuple[str, Any]"


def hcl_of(blocks: Sequence[Block]) -> str:
    """The text of a configuration."""
    return "\n".join("".join(f"{line}\n" for line in _block(block)) for block in blocks)


def _block(block: Block) -> Iterator[str]:
    labels = "".join(f" {_quoted(label)}" for label in block.labels)
    yield f"{block.kind}{labels} {{"
    for position, group in enumerate(_groups(block.members)):
        if position:
            yield ""
        lines = _block(group) if isinstance(group, Block) else _aligned(group, " = ")
        yield from (f"  {line}" if line else "" for line in lines)
    yield "}"


def _groups(members: "Sequence[Member]") -> Iterator[Block | list[tuple[str, str]]]:
    """Blocks, and the values that stand together."""
    values: list[tuple[str, str]] = []
    for member in members:
        if isinstance(member, Block):
            if values:
                yield values
            values = []
            yield member
        else:
            values.append((member[0], _value(member[1])))
    if values:
        yield values


def _aligned(pairs: Sequence[tuple[str, str]], sign: str) -> Iterator[str]:
    """Lines whose signs stand below each other, up to the next value of several lines."""
    start = 0
    for end in range(len(pairs)):
        is_last = end + 1 == len(pairs)
        if is_last or "\n" in pairs[end][1] or "\n" in pairs[end + 1][1]:
            run = pairs[start : end + 1]
            width = max(len(name) for name, _ in run)
            for name, value in run:
                yield from f"{name:{width}}{sign}{value}".split("\n")
            start = end + 1


def _value(value: Any) -> str:
    match value:
        case Reference(text):
            return text
        case Template(before, expression, after):
            return f"{_quoted(before)[:-1]}${{{expression}}}{_quoted(after)[1:]}"
        case str():
            return _quoted(value)
        case list():
            return f"[{', '.join(_value(each) for each in value)}]"
        case Mapping():
            pairs = [(_key(name), _value(each)) for name, each in value.items()]
            inner = "".join(f"  {line}\n" for line in _aligned(pairs, " = "))
            return f"{{\n{inner}}}" if pairs else "{}"
        case _:
            return json.dumps(value)


def _key(name: str) -> str:
    return name if _identifier(name) else _quoted(name)


def _quoted(text: str) -> str:
    """A text in quotes, with the beginnings of templates escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    quoted = quoted.replace("\\b", "\\u0008").replace("\\f", "\\u000c")
    quoted = _unprintable.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
    return quoted.replace("${", "$${").replace("%{", "%%{")
