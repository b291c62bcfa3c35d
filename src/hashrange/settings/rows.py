"""The settings as rows of a table, from which options, variables and documentation are made."""

from collections.abc import Iterator
from typing import Final, get_type_hints

from hashrange.settings.kinds import Row
from hashrange.settings.settings import Settings


def _rows() -> Iterator[Row]:
    hints = get_type_hints(Settings, include_extras=True)
    for name, default in zip(Settings.__struct_fields__, Settings.__struct_defaults__, strict=True):
        if name == "origins":
            continue
        kind, sentence = hints[name].__metadata__
        yield Row(name=name, default=default, kind=kind, sentence=sentence)


ROWS: Final = tuple(_rows())
