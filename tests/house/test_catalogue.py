"""Every message of the catalogue is tested by its number, or its absence is explained."""

import ast

import pytest

from tests.house.catalogue import MESSAGES, NUMBERS, carriers, cited, explained, text_rows
from tests.house.sources import relative, tree


@pytest.fixture(scope="module")
def tested() -> set[str]:
    return set(carriers())


def test_each_is_tested_or_explained(tested):
    untested = set(explained())
    assert sorted(NUMBERS - tested - untested) == [], "give a test a row for them, or explain them"
    assert sorted(tested & untested) == [], "they are tested: take them out of not-known.md"
    assert sorted(untested - NUMBERS) == []


@pytest.mark.parametrize("path", MESSAGES, ids=relative)
def test_what_messages_cite_is_tested(path, tested):
    documented = (ast.FunctionDef, ast.Module)
    nodes = [node for node in ast.walk(tree(path)) if isinstance(node, documented)]
    numbers = {number for node in nodes for number in cited(node)}
    assert (
        sorted((numbers | {number for row in text_rows(path) for number in cited(row)}) - tested)
        == []
    )
