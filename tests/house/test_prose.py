"""The prose of the pages for users: short sentences, and one term for a thing."""

import re

import pytest

from tests.house.reference import PAGES as GENERATED
from tests.house.sources import MARKDOWN, ROOT, relative

SENTENCE_WORDS_MAX = 35
# For contributors, though they stand beside the others.
INTERNAL = {"adding", "dependencies", "status"}
PAGES = [
    path
    for path in MARKDOWN
    if relative(path).startswith(("README.md", "CHANGELOG.md", "docs/"))
    and not relative(path).startswith("docs/internals/")
    and relative(path) not in GENERATED
    and path.stem not in INTERNAL
]
FENCE = re.compile(r"^ *(`{3,}).*?^ *\1$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]+`")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")
END = re.compile(r"(?<=[.!?])\s+")

# The term of the manual, and what is not said beside it.
TERMS = {
    "data directory": r"\bdatabase folder\b|\bdata folder\b",
    "endpoint": r"\bend point\b",
    "partition key": r"\bhash key\b|\bprimary partition\b",
    "point-in-time recovery": r"\bpoint in time recovery\b",
    "read units, write units": r"\b[RW]CUs?\b",
    "sort key": r"\brange key\b",
    "time to live": r"\btime-to-live\b",
}
LABORATORY = re.compile(
    r"\bbytecodes?\b|\b(?:busy|slow) (?:machine|host)\b|\bmedians? of\b", re.IGNORECASE
)


def prose(text):
    """The paragraphs and items of lists of a page, without tables, code and addresses of links."""
    paragraph = []
    for line in [*COMMENT.sub("", FENCE.sub("", text)).splitlines(), ""]:
        words = line.strip()
        is_apart = not words or words.startswith(("|", "#"))
        item = ITEM.match(words)
        if (is_apart or item) and paragraph:
            yield LINK.sub(r"\1", " ".join(paragraph))
            paragraph = []
        if not is_apart:
            paragraph.append(words[item.end() :] if item else words)


def sentences(text):
    """The sentences of a page."""
    for paragraph in prose(text):
        yield from END.split(CODE.sub("code", paragraph))


# A page that is in no menu of the site is found by search alone.
def test_the_site_has_each_page():
    menu = re.findall(r"^ *- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert {relative(path) for path in PAGES} | set(GENERATED) - {
        "docs/model.schema.json",
        "docs/internals/messages.md",
    } <= set(menu)


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_sentences_are_short(path):
    long = [
        sentence
        for sentence in sentences(path.read_text("utf-8"))
        if len(sentence.split()) > SENTENCE_WORDS_MAX
    ]
    assert long == []


def test_a_thing_has_one_term():
    found = {
        (relative(path), term)
        for path in PAGES
        for term, others in TERMS.items()
        if re.search(others, CODE.sub("", "\n".join(prose(path.read_text("utf-8")))), re.IGNORECASE)
    }
    assert found == set()


# How a figure was found is for contributors: docs/internals/measurements.md.
def test_pages_for_users_have_no_laboratory_notes():
    found = {
        relative(path): notes
        for path in PAGES
        if (notes := LABORATORY.findall(path.read_text("utf-8")))
    }
    assert found == {}


def test_tables_code_and_addresses_are_no_prose():
    text = "# Title\n\nOne [two](three.md).\n\n```sh\nfour\n```\n\n| five |\n\n- six\n- seven\n"
    assert list(prose(text)) == ["One two.", "six", "seven"]


@pytest.mark.parametrize(("words", "is_long"), [(35, False), (36, True)])
def test_long_sentence_is_found(words, is_long):
    (sentence,) = sentences("word " * words)
    assert (len(sentence.split()) > SENTENCE_WORDS_MAX) is is_long
