"""Time limits of tests are those of a quiet machine, scaled by the pace of this one."""

import ast

import pytest

from tests.house.sources import TESTS, breaking, nodes

POLL_SECONDS_MAX = 1
"""Whoever waits for less looks again afterwards, and does not fail."""
WAITS = {"acquire", "communicate", "join", "settimeout", "timeout", "wait", "wait_for"}


def _is_long(node):
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and node.value > POLL_SECONDS_MAX
    )


def _unscaled(within):
    """Lines of calls with a number of seconds as their limit; marks of pytest are scaled later."""
    for node in within:
        match node:
            case ast.Call(func=ast.Attribute(attr="timeout", value=ast.Attribute(attr="mark"))):
                continue
            case ast.Call(func=ast.Attribute(attr=name), args=given) if name in WAITS:
                limits = [*given, *(each.value for each in node.keywords if each.arg == "timeout")]
            case ast.Call(keywords=named):
                limits = [each.value for each in named if each.arg == "timeout"]
            case _:
                continue
        if any(map(_is_long, limits)):
            yield node.lineno


def test_time_limits_are_scaled():
    found = breaking(TESTS, lambda path: _unscaled(nodes(path)))
    assert found == {}, "see tests/pace.py: seconds(...)"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("run(command, timeout=60)", [1]),
        ("thread.join(20)", [1]),
        ("event.wait(timeout=5)", [1]),
        ("asyncio.wait_for(answer(), 10)", [1]),
        ("thread.join(seconds(20))", []),
        ("room.acquire(timeout=0.1)", []),
        ("pytest.mark.timeout(240)", []),
    ],
)
def test_the_rule_finds_them(text, found):
    assert list(_unscaled(ast.walk(ast.parse(text)))) == found
