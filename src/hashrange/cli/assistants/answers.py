"""Answers of tools: JSON of a bounded size, since models read them whole. Pure."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

ANSWER_CHARS_MAX: Final = 40_000
"""Of an answer: some 10,000 tokens."""
_ITEMS: Final = "Items"
_NEXT: Final = ("LastEvaluatedKey", "NextToken")
"""Members with which a request goes on after the last item of its answer."""


class ToolError(Exception):
    """A tool cannot do what it was asked for. The text is for the model."""


def text_of(answer: object) -> str:
    """The JSON of an answer. Raises ToolError: it is too long."""
    text = msgspec.json.encode(answer).decode()
    if len(text) > ANSWER_CHARS_MAX:
        raise ToolError(
            f"the answer has {len(text):,} characters, and {ANSWER_CHARS_MAX:,} is the most: ask "
            "for less, as with a projection or a smaller limit"
        )
    return text


def bounded_page(page: Mapping[str, Any]) -> dict[str, Any]:
    """A page of items, without those at its end that would make the answer too long.

    Where items are left out, so is the place where the next page begins, which is after them.
    """
    left = ANSWER_CHARS_MAX // 2
    kept = []
    for item in page.get(_ITEMS, ()):
        left -= len(msgspec.json.encode(item))
        if left < 0:
            break
        kept.append(item)
    left_out = len(page.get(_ITEMS, ())) - len(kept)
    if not left_out:
        return {**page}
    rest = {name: value for name, value in page.items() if name not in _NEXT}
    note = "the answer would be too long: use a smaller limit, or a projection, to see all items"
    return {**rest, _ITEMS: kept, "ItemsLeftOut": left_out, "Note": note}
