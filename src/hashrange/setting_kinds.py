"""Parsers of settings: which texts are valid values, and what they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

SQLITE: Final = "sqlite"
DATABASE_URLS: Final = ("postgresql://", "postgres://")
_DIGITS_MAX: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A parser of the text of a setting.

    Attributes:
        form: describes valid values in the reference.
        parse: raises ValueError, whose text says what is expected.
        switch: the option has no value on the command line.
    """

    form: str
    parse: Callable[[str], object]
    switch: bool = False


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("a text that is not blank")
    if "\0" in text:
        raise ValueError("a text without NUL")
    return text


def _path(text: str) -> Path:
    try:
        return Path(_text(text)).expanduser()
    except RuntimeError as error:
        raise ValueError("in the home of a user of this machine") from error


def _switch(text: str) -> bool:
    match text.lower():
        case "true" | "1" | "yes" | "on":
            return True
        case "false" | "0" | "no" | "off":
            return False
        case _:
            raise ValueError("true or false")


def _engine(text: str) -> str:
    if text != SQLITE and not text.startswith(DATABASE_URLS):
        raise ValueError(f"{SQLITE} or a URL that begins with {DATABASE_URLS[0]}")
    return text


def whole(least: int, most: int) -> Kind:
    """A whole number from `least` to `most`, both inclusive."""

    def parse(text: str) -> int:
        # int() alone would also read "8_000", " 8000" and the digits of other scripts.
        plain = text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX
        if not (plain and least <= int(text) <= most):
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return Kind(form=f"{least}..{most}", parse=parse)


def one_of(choices: type[StrEnum]) -> Kind:
    """One of the values of an enum, in any case."""

    def parse(text: str) -> StrEnum:
        if text.lower() not in set(choices):
            raise ValueError(" or ".join(choices))
        return choices(text.lower())

    return Kind(form=" | ".join(choices), parse=parse)


TEXT: Final = Kind(form="TEXT", parse=_text)
DIRECTORY: Final = Kind(form="DIRECTORY", parse=_path)
ENGINE: Final = Kind(form=f"postgresql://… | {SQLITE}", parse=_engine)
FILE: Final = Kind(form="FILE", parse=_path)
SWITCH: Final = Kind(form="true | false", parse=_switch, switch=True)
