"""Contributors of several processes are added up, with the bounds of their counts."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hashrange.observe.report import SUMMED_KEYS_MAX, summed_contributors
from hashrange.observe.snapshot import Contributor, Contributors

counts = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 50))


def report(counted, kept, table="t"):
    """What a process reports that has counted so much, and has kept so many keys."""
    ranked = sorted(counted.items(), key=lambda each: -each[1])
    error = float(max([count for _, count in ranked[kept:]], default=0))
    keys = [Contributor(key, float(count), count + error) for key, count in ranked[:kept]]
    total = float(sum(counted.values()))
    return Contributors(
        table=table, index="", rule="PKC", minutes=1, total=total, error=error, keys=keys
    )


@given(st.lists(counts, min_size=1, max_size=4), st.integers(1, 5))
def test_true_counts_are_within_the_bounds(processes, kept):
    (found,) = summed_contributors([[report(each, kept)] for each in processes])
    exact = sum((Counter(each) for each in processes), Counter())
    assert found.total == sum(exact.values())
    shown = {each.key: each for each in found.keys}
    for key, count in exact.items():
        if key in shown:
            assert shown[key].count <= count <= shown[key].count_max
        else:
            assert count <= found.error


def test_a_sum_has_few_keys():
    reports = [
        [report({f"{process}-{number}": number + 1 for number in range(80)}, 80)]
        for process in range(2)
    ]
    (found,) = summed_contributors(reports)
    assert len(found.keys) == SUMMED_KEYS_MAX
    assert found.error >= 30


def test_tables_are_apart():
    found = summed_contributors([[report({"a": 1}, 1)], [report({"a": 1}, 1, "other")]])
    assert [each.table for each in found] == ["t", "other"]
