"""A request runs through few functions, and seldom changes the module."""

import pytest

from tests.unit.server.request_frames import REQUESTS, measured

BOUNDS = {
    "put": (62, 40, 78),
    "get": (33, 20, 46),
    "update": (79, 52, 181),
    "update-condition": (96, 65, 271),
    "query": (37, 23, 96),
    "put-index": (92, 54, 108),
    "put-stream": (80, 46, 96),
    "put-index-stream": (109, 59, 125),
    "put-time-to-live": (107, 57, 123),
    "update-index-stream": (126, 73, 233),
}
"""Of each row: frames and changes of module of a request whose shape is known, and frames of the
first one of its shape. See docs/internals/adr/0014-the-request-path.md and
0034-one-write-path.md."""


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
