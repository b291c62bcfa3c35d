"""The type of the text of an error: a template with the numbers of the catalogue."""

from collections.abc import Iterable
from string import Formatter
from typing import Final, TypeAlias

Value: TypeAlias = str | float | Iterable[str]
"""A list of texts is joined with commas."""

_fields: Final = Formatter().parse


class Text:
    """A text of an error; called with the values of its placeholders, it returns the text.

    Args:
        template: the text with placeholders in braces, as of `str.format`; a text without
            placeholders is taken as it is.
        numbers: those of the catalogue; see docs/internals/messages.md.
    """

    __slots__ = ("numbers", "template")

    def __init__(self, template: str, *numbers: int | str) -> None:
        self.template = template
        self.numbers = numbers

    def __call__(self, *values: Value, **named: Value) -> str:
        """The text with the values, by name or in the order in which their placeholders begin."""
        if not values and not named:
            return self.template
        names = dict.fromkeys(name for _, name, _, _ in _fields(self.template) if name)
        named |= zip(names, values, strict=False)
        assert named.keys() == names.keys(), f"values of {[*names]}, not of {[*named]}"
        return self.template.format_map({name: _shown(value) for name, value in named.items()})


def _shown(value: Value) -> str | float:
    return value if isinstance(value, str | int | float) else ", ".join(value)
