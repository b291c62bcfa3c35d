"""Packages of which not every supported Python has a wheel."""

from importlib.util import find_spec

import pytest

needs_ion = pytest.mark.skipif(
    find_spec("amazon") is None,
    reason="amazon-ion is not installed: it has no wheel for Python 3.14",
)
