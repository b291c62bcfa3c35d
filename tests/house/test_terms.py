"""The words of the glossary: what it names is there, and retired names do not come back."""

import ast
import re
from pathlib import Path

from tests.house.sources import SOURCES, breaking, comments, nodes

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs/internals/glossary.md").read_text("utf-8")

# Each needed a guess at what it does; the glossary has the word that took its place.
RETIRED = {
    "Answer",
    "Answering",
    "Aside",
    "Asked",
    "Begun",
    "Beside",
    "Besides",
    "Carrier",
    "Checked",
    "Chores",
    "Crew",
    "Done",
    "Door",
    "Duty",
    "Edge",
    "Errand",
    "Filling",
    "Fitted",
    "Follower",
    "Gathering",
    "Greeted",
    "Greeting",
    "Heads",
    "InTurn",
    "Journal",
    "Judge",
    "Keyed",
    "Known",
    "Lanes",
    "Letter",
    "Listed",
    "Listing",
    "Locked",
    "LogPlaces",
    "Logged",
    "LostError",
    "Mail",
    "Moment",
    "Moves",
    "Numbered",
    "OneWrite",
    "Pending",
    "Placed",
    "Plans",
    "Question",
    "Rest",
    "Room",
    "Said",
    "Seldom",
    "Selecting",
    "Shown",
    "Spent",
    "Surrounding",
    "Surroundings",
    "Taker",
    "Tallies",
    "Tell",
    "Till",
    "Together",
    "Told",
    "Turns",
    "Upkeep",
    "Verdict",
    "Watched",
    "Who",
}

# Metaphors, in place of the terms for token buckets, policies, messages, contexts and handshakes.
WORDS = frozenset(
    """
    door doors greet greeted greeting greetings greets hope hopeless hopes lend lends lent loan
    loans situation situations surrounding surroundings tell tells till tills told
    """.split()  # noqa: SIM905 - a list of words
)
FURTHER = frozenset({"beside_names", "is_trial", "mail", "refuse_hopeless"})
PROSE = re.compile(rf"\b(?:{'|'.join(sorted(WORDS))})\b", re.IGNORECASE)
# Bicycles are lent in getting-started; the other two pages have texts of DynamoDB, and history.
LENDING = {"lend", "lent"}
PAGES = sorted({*(ROOT / "docs").rglob("*.md"), ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"})
QUOTING = {"docs/internals/messages.md", "docs/status.md"}


def _retired(path):
    return RETIRED & {node.name for node in nodes(path) if isinstance(node, ast.ClassDef)}


def test_retired_names_do_not_come_back():
    assert breaking(SOURCES, _retired) == {}, "docs/internals/glossary.md has the word"


def test_places_of_the_glossary_are_there():
    places = re.findall(r"`([a-z_/]+(?:\.py|/))`", GLOSSARY)
    assert len(places) > 30
    assert [place for place in places if not (ROOT / "src/hashrange" / place).exists()] == []


def test_terms_are_in_order_and_stand_once():
    terms = re.findall(r"^\| ([a-z][^|]*) \|", GLOSSARY, re.MULTILINE)
    assert terms == sorted(set(terms))


def _names(node):
    """The identifiers that a node of the syntax tree defines or uses."""
    for field in ("id", "attr", "arg", "name", "asname"):
        name = getattr(node, field, None)
        if isinstance(name, str):
            yield name


def _parts(name):
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().split("_")


def _private_names(path):
    names = {path.stem, *(name for node in nodes(path) for name in _names(node))}
    return {name for name in names if name in FURTHER or not WORDS.isdisjoint(_parts(name))}


def test_names_are_of_the_field():
    assert breaking(SOURCES, _private_names) == {}, "docs/internals/glossary.md has the word"


def _private_prose(path):
    statements = (node.value for node in nodes(path) if isinstance(node, ast.Expr))
    docstrings = (str(each.value) for each in statements if isinstance(each, ast.Constant))
    texts = (*comments(path).values(), *docstrings)
    return {found for text in texts for found in PROSE.findall(text)}


def test_docstrings_and_comments_are_of_the_field():
    assert breaking(SOURCES, _private_prose) == {}, "docs/internals/glossary.md has the word"


def test_pages_are_of_the_field():
    found = {}
    for page in PAGES:
        name = str(page.relative_to(ROOT))
        words = {each.lower() for each in PROSE.findall(page.read_text("utf-8"))} - LENDING
        if words and name not in QUOTING:
            found[name] = words
    assert found == {}, "docs/internals/glossary.md has the word"


def test_the_glossary_is_short():
    assert len(re.findall(r"^\| [a-z]", GLOSSARY, re.MULTILINE)) <= 60
