"""Patterns with the wildcards `*` and `?`, in time linear to text and pattern. Pure.

A regular expression with many `*` may take exponential time; policies and texts come from clients.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import msgspec

Matcher: TypeAlias = Callable[[str], bool]

SEPARATOR: Final = ":"
_ARN_COLONS: Final = 5
_above: Final = re.compile("[\U00010000-\U0010ffff]")


class Piece(msgspec.Struct, frozen=True):
    """A part of a pattern; what a variable stood for is literal, whatever characters it has."""

    text: str
    literal: bool = False


Pattern: TypeAlias = tuple[Piece, ...]


def plain(text: str) -> Pattern:
    """The pattern of a text whose wildcards count."""
    return (Piece(text),)


def text_of(pattern: Pattern) -> str:
    """The characters of a pattern, wildcards and all."""
    return "".join([piece.text for piece in pattern])


def has_wildcards(pattern: Pattern) -> bool:
    """Whether the pattern matches any other text than its own."""
    return any(not piece.literal and not {"*", "?"}.isdisjoint(piece.text) for piece in pattern)


def like(pattern: Pattern) -> Matcher:
    """Matches whole texts: `*` stands for any characters, `?` for one, or half of one above FFFF.

    Source of the halves: what IAM was recorded to match.
    """
    text = text_of(pattern)
    if not has_wildcards(pattern):
        return text.__eq__
    if text == "*":
        return lambda _: True
    ends_open = text.endswith("*") and not pattern[-1].literal
    if ends_open and not has_wildcards((*pattern[:-1], Piece(pattern[-1].text[:-1]))):
        stem = text[:-1]
        return lambda value: value.startswith(stem)
    return _Automaton(_symbols(pattern, 0)).matches


def arn_like(pattern: Pattern) -> Matcher:
    """Matches whole ARNs of resources.

    In the first five segments a wildcard stays within its segment, unless it is a `*` at the end
    of one. What follows the fifth colon is matched as any text. Source: IAM User Guide, "IAM JSON
    policy elements: Resource".
    """
    if not has_wildcards(pattern):
        return text_of(pattern).__eq__
    if text_of(pattern) == "*":
        return lambda _: True
    return _Automaton(_symbols(pattern, _ARN_COLONS)).matches


def completed(pattern: Pattern) -> Pattern:
    """The pattern of an ARN, with `*` for segments that it lacks; `*` alone is no ARN.

    Source: IAM User Guide, "Identify AWS resources with Amazon Resource Names (ARNs)".
    """
    text = text_of(pattern)
    missing = _ARN_COLONS - text.count(SEPARATOR)
    if missing <= 0 or text == "*":
        return pattern
    return (*pattern, Piece(f"{SEPARATOR}*" * missing))


def _units(text: str) -> str:
    """The text in code units of UTF-16."""
    return text if text.isascii() else _above.sub(_halves, text)


def _halves(found: re.Match[str]) -> str:
    offset = ord(found[0]) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


class _Symbol(msgspec.Struct, frozen=True):
    """A character of a pattern, or a wildcard; a confined wildcard matches no colon."""

    text: str
    wild: bool = False
    confined: bool = False


def _symbols(pattern: Pattern, confined_segments: int) -> list[_Symbol]:
    """The characters of a pattern; wildcards of the first segments are confined to them."""
    characters = [
        (character, piece.literal) for piece in pattern for character in _units(piece.text)
    ]
    symbols = []
    segment = 0
    for place, (character, literal) in enumerate(characters):
        if literal or character not in "*?":
            symbols.append(_Symbol(character))
            segment += character == SEPARATOR
            continue
        following = characters[place + 1][0] if place + 1 < len(characters) else SEPARATOR
        free = character == "*" and following == SEPARATOR
        confined = segment < confined_segments and not free
        symbols.append(_Symbol(character, wild=True, confined=confined))
    return symbols


class _Automaton:
    """A nondeterministic automaton whose states are the bits of a number (shift-and).

    State n has read the first n symbols that are not `*`; a `*` is a loop at its state.
    """

    __slots__ = ("_any", "_end", "_loops", "_single", "_single_confined", "_steps")

    def __init__(self, symbols: Iterable[_Symbol]) -> None:
        self._steps: dict[str, int] = {}
        self._single = self._single_confined = 0
        self._any = self._loops = 0
        state = 1
        for symbol in symbols:
            if symbol.wild and symbol.text == "*":
                self._loops |= state
                if not symbol.confined:
                    self._any |= state
                continue
            if symbol.wild:
                self._single_confined |= state
                if not symbol.confined:
                    self._single |= state
            else:
                self._steps[symbol.text] = self._steps.get(symbol.text, 0) | state
            state <<= 1
        self._end = state

    def matches(self, text: str) -> bool:
        """Whether the whole text is read at the end."""
        states = 1
        for character in _units(text):
            steps = self._steps.get(character, 0)
            if character == SEPARATOR:
                states = ((states & (steps | self._single)) << 1) | (states & self._any)
            else:
                moved = (states & (steps | self._single_confined)) << 1
                states = moved | (states & self._loops)
            if not states:
                return False
        return bool(states & self._end)
