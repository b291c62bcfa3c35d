"""What a condition says again and again is looked at once."""

import pytest

from tests.unit.expressions.requests import bound

VALUES = {":v": {"S": "x"}}


class Counted(dict):
    """An item that counts how often its attributes are read."""

    reads = 0

    def get(self, *key):
        self.reads += 1
        return super().get(*key)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        (" OR ".join(["a = :v"] * 150), 1),
        (" AND ".join(["a <> :v"] * 150), 1),
        (" OR ".join(["(a = :v AND a = :v)"] * 50), 1),
        (" OR ".join(["NOT a <> :v"] * 90), 1),
        (" AND ".join(["a <> :v", "b <> :v"] * 40), 2),
        (f"a IN ({', '.join([':v'] * 100)})", 1),
        (f"a IN ({', '.join(['b', ':v'] * 50)})", 2),
        (" OR ".join([f"a IN ({', '.join(['b'] * 100)})"] * 5), 2),
    ],
    ids=lambda part: str(part)[:30],
)
def test_repetitions_cost_nothing(text, reads):
    item = Counted(a={"S": "other"}, b={"S": "another"})
    condition = bound(None, VALUES if ":v" in text else None, condition=text).condition
    condition.holds(item)
    assert item.reads == reads


# `and` and `or` of one condition are that condition.
@pytest.mark.parametrize("operator", ["AND", "OR"])
def test_repetitions_mean_what_one_means(operator):
    for value, holds in (({"S": "x"}, True), ({"S": "y"}, False)):
        text = f" {operator} ".join(["a = :v"] * 3)
        assert bound(None, VALUES, condition=text).condition.holds({"a": value}) is holds
