"""A request runs through few functions, and seldom changes the module."""

import pytest

from tests.unit.server.request_frames import REQUESTS, measured

BOUNDS = {
    "put": (56, 36, 72),
    "get": (33, 20, 46),
    "update": (73, 48, 175),
    "update-condition": (90, 62, 265),
    "query": (37, 23, 96),
    "put-index": (86, 52, 102),
    "put-stream": (72, 43, 88),
    "put-index-stream": (99, 56, 115),
    "put-time-to-live": (104, 56, 120),
    "update-index-stream": (116, 69, 223),
}
"""Of each row: frames and changes of module of a request whose shape is known, and frames of the
first one of its shape. See docs/internals/adr/0014-the-request-path.md,
0034-one-write-path.md and 0037-the-path-of-a-group.md."""


def test_each_row_has_bounds():
    assert BOUNDS.keys() == REQUESTS.keys()


@pytest.mark.parametrize("row", BOUNDS)
def test_a_request_runs_through_few_functions(row, tmp_path):
    frames, changes, first_frames = BOUNDS[row]
    first, known = measured(tmp_path, row)
    assert 0 < known.count <= frames, known.called
    assert known.changes <= changes, known.called
    assert known.count < first.count <= first_frames, first.called


# The figures are bounds only if they do not depend on when and where they are taken.
def test_two_counts_are_the_same(tmp_path):
    assert measured(tmp_path / "one", "update") == measured(tmp_path / "other", "update")
