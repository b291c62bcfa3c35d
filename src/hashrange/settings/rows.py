"""The settings as rows of a table, from which options, variables and documentation are made."""

import dataclasses
from collections.abc import Iterator
from typing import Final, get_type_hints

from hashrange.settings.kinds import Row
from hashrange.settings.settings import Settings


def _rows() -> Iterator[Row]:
    hints = get_type_hints(Settings, include_extras=True)
    for field in dataclasses.fields(Settings):
        if field.name == "origins":
            continue
        kind, sentence = hints[field.name].__metadata__
        yield Row(name=field.name, default=field.default, kind=kind, sentence=sentence)


ROWS: Final = tuple(_rows())
