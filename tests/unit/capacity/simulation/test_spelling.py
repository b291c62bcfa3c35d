"""Names that a workload does not have are answered with those that it has."""

import pytest

from hashrange.capacity.simulation.workload import WorkloadError, new_workload, parsed
from tests.unit.capacity.simulation.test_simulator import SMALL


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            "keys = { count = 1000 }",
            'keys = { kind = "unifrom" }',
            "keys.kind: no such value 'unifrom', did you mean uniform? It is one of hot, time, ",
        ),
        ("write_units = 100", "write_unit = 100", "table: no such name 'write_unit', did you mean"),
        ('title = "Small"', 'titel = "Small"', "no such name 'titel', did you mean title?"),
        ('"put"', '"delete"', "it is one of get, put, query, update"),
        (
            "[indexes.by_day]",
            "[table.scaling.writes]\nmin = 1\nmax = 2\n[indexes.by_day]",
            "table.scaling.writes: no such value 'writes', did you mean write?",
        ),
        ("[indexes.by_day]", "[indexes.by_day]\nsize = 1", "indexes.by_day: no such name 'size'"),
        ("[table]", "[prices]\nrestore = 1\n[table]", "there is no price restore"),
        ("rate = 60", "rate = -1", "Expected `float` >= 0"),
    ],
)
def test_what_is_allowed_is_listed(right, wrong, told):
    with pytest.raises(WorkloadError) as refused:
        parsed(SMALL.replace(right, wrong, 1))
    assert told in str(refused.value)


def test_a_new_workload_is_one():
    assert parsed(new_workload()).indexes.keys() == {"by_status"}
