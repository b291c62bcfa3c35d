"""Every queue and every loop has a bound."""

import ast

import pytest

from tests.house.sources import SOURCES, comments, relative, tree

QUEUES = {"LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"}


def _called(node):
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return None


def _forever(node):
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant)


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_queues_have_a_size(path):
    unbounded = [
        node.lineno
        for node in ast.walk(tree(path))
        if _called(node) in QUEUES and not node.args and not node.keywords
    ]
    assert unbounded == []


# `while True` says nothing of its end; the comment must: "# Bound: ...".
@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_endless_loops_say_what_bounds_them(path):
    said = comments(path)
    silent = [
        node.lineno
        for node in ast.walk(tree(path))
        if _forever(node)
        and not any(
            "bound" in said.get(line, "").lower()
            for line in range(node.lineno - 2, node.lineno + 2)
        )
    ]
    assert silent == []
