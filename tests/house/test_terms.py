"""The words of the glossary: what it names is there, and retired names do not come back."""

import ast
import re
from pathlib import Path

from tests.house.sources import SOURCES, breaking, nodes

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs/internals/glossary.md").read_text("utf-8")

# Each needed a guess at what it does; the glossary has the word that took its place.
RETIRED = {
    "Answer",
    "Answering",
    "Aside",
    "Asked",
    "Begun",
    "Besides",
    "Carrier",
    "Checked",
    "Chores",
    "Crew",
    "Done",
    "Duty",
    "Edge",
    "Errand",
    "Filling",
    "Fitted",
    "Follower",
    "Gathering",
    "Heads",
    "InTurn",
    "Journal",
    "Judge",
    "Keyed",
    "Known",
    "Lanes",
    "Listed",
    "Listing",
    "Locked",
    "LogPlaces",
    "Logged",
    "LostError",
    "Moment",
    "Moves",
    "Numbered",
    "OneWrite",
    "Placed",
    "Plans",
    "Room",
    "Seldom",
    "Selecting",
    "Shown",
    "Spent",
    "Taker",
    "Tallies",
    "Tell",
    "Together",
    "Told",
    "Turns",
    "Upkeep",
    "Verdict",
    "Watched",
    "Who",
}


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
