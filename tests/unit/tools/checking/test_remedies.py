"""What to do about findings."""

from hashrange.tools.checking.findings import SEVERITIES
from hashrange.tools.checking.remedies import REMEDIES


def test_each_kind_has_a_remedy():
    assert REMEDIES.keys() == SEVERITIES.keys()
    assert [kind for kind, text in REMEDIES.items() if not text or text.endswith(".")] == []
