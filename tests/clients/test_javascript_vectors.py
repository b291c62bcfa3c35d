"""The JavaScript SDK's SearchVectors: `vectors.mjs` says what it does."""

import pytest

from tests.clients.vectors import FOUND, REFUSED, TABLE

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]


def test_searches(javascript):
    assert javascript("vectors.mjs") == {
        "table": TABLE,
        "search": {
            "found": FOUND,
            "item": {"pk": "c", "kind": "x"},
            "isCharged": True,
        },
        "changed": ["c"],
        "refused": {"name": REFUSED, "status": 400},
    }
