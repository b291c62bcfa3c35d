"""Identifiers of the languages of outputs, made of names of tables, indexes and alarms. Pure."""

import re
from collections.abc import Iterable
from typing import Final

_words: Final = re.compile(r"[A-Za-z0-9]+").findall


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier of letters and digits for each name, such as `ByDate` for `by-date`.

    Names that differ in other signs only get numbers. An identifier begins with a letter.
    """
    taken: dict[str, str] = {}
    for name in names:
        text = "".join(word[0].upper() + word[1:] for word in _words(name)) or "Unnamed"
        if text[0].isdigit():
            text = f"N{text}"
        found, number = text, 1
        while found in taken.values():
            number += 1
            found = f"{text}{number}"
        taken[name] = found
    return taken
