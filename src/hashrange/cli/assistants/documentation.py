"""Tools that search and read the pages of the documentation."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Final

import msgspec

import hashrange
from hashrange.cli.assistants.answers import ANSWER_CHARS_MAX, ToolError
from hashrange.tools.copying.endpoint import Endpoint

_FOUND_MAX: Final = 5
_EXCERPT_CHARS: Final = 1500
_HEADING_WEIGHT: Final = 8
"""A word in a heading says more of a section than one in its text."""
_words: Final = re.compile(r"[a-z0-9_]+").findall
_FENCE: Final = "```"


class Search(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `search_documentation`."""

    words: Annotated[str, msgspec.Meta(max_length=400, description="As `restore point in time`.")]


class Read(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `read_documentation`."""

    page: Annotated[str, msgspec.Meta(description="Name of a page, as backups.md.")]
    heading: Annotated[
        str | None, msgspec.Meta(description="Of the section to read; all of the page without it.")
    ] = None


class Section(msgspec.Struct, frozen=True):
    """The text below one heading, up to the next one."""

    page: str
    heading: str
    text: str


def folder() -> Path | None:
    """Where the pages are: in the package, or beside the sources; None if nowhere."""
    package = Path(hashrange.__file__).parent
    places = (package / "docs", package.parents[1] / "docs")
    return next((place for place in places if (place / "README.md").is_file()), None)


@cache
def sections() -> tuple[Section, ...]:
    """The sections of all pages."""
    place = folder()
    assert place is not None, "tools are offered only with pages"
    pages = sorted(place.glob("*.md"))
    return tuple(
        section for page in pages for section in sections_of(page.name, page.read_text("utf-8"))
    )


def sections_of(page: str, text: str) -> Iterator[Section]:
    """The sections of a page; a heading within code is not one."""
    heading, lines, is_code = page, list[str](), False
    for line in text.splitlines():
        is_code ^= line.startswith(_FENCE)
        if line.startswith("#") and not is_code:
            yield Section(page, heading, "\n".join(lines).strip())
            heading, lines = line.lstrip("# "), []
        else:
            lines.append(line)
    yield Section(page, heading, "\n".join(lines).strip())


def score(section: Section, words: frozenset[str]) -> tuple[int, int]:
    """How many of the words a section has, and how often."""
    counts = Counter(_words(section.text.lower()))
    for word in _words(section.heading.lower()):
        counts[word] += _HEADING_WEIGHT
    return sum(counts[word] > 0 for word in words), sum(counts[word] for word in words)


async def search(_place: Endpoint, asked: Search) -> object:
    """The sections that have most of the words."""
    words = frozenset(_words(asked.words.lower()))
    scored = [(score(each, words), each) for each in sections() if each.text]
    found = sorted((each for each in scored if each[0][0]), key=lambda each: each[0], reverse=True)
    return [
        {"page": each.page, "heading": each.heading, "excerpt": each.text[:_EXCERPT_CHARS]}
        for _, each in found[:_FOUND_MAX]
    ]


async def read(_place: Endpoint, asked: Read) -> object:
    """The text of a section or page, up to the size of an answer. Raises ToolError."""
    page = [each for each in sections() if each.page == asked.page]
    if not page:
        raise ToolError(f"there is no page {asked.page}; search_documentation names pages")
    found = [each for each in page if asked.heading in {None, each.heading}]
    if not found:
        known = ", ".join(each.heading for each in page)
        raise ToolError(f"{asked.page} has no section {asked.heading}; it has: {known}")
    text = "\n\n".join(f"# {each.heading}\n\n{each.text}" for each in found)
    limit = ANSWER_CHARS_MAX // 2
    if len(text) <= limit:
        return {"text": text}
    headings = [each.heading for each in found]
    return {"text": text[:limit], "note": "the text is cut: read a section", "headings": headings}
