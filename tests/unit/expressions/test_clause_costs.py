"""What the clauses of an update weigh, as users measured it against the service."""

from hashrange.expressions.program import update_of
from hashrange.expressions.syntax import Constant, Path, Set
from tests.rows import rows
from tests.unit.expressions.requests import bound, used

V = 10  # bytes of :v
VALUES = {":v": {"S": "x" * V}, ":n": {"N": "1"}, ":ss": {"SS": ["abc"]}, ":l": {"L": []}}
N, SS, L = 2, 3, 3


@rows(
    ("text", "cost"),
    [
        ("SET b = :v", 3 + 19 + 1 + V),
        ("SET name1 = :v", 3 + 19 + 5 + V),
        ("SET #e = :v", 3 + 19 + 2 + V),
        ("SET b = :v, c = :v", 3 + 2 * (19 + 1 + V)),
        ("SET b.cd = :v", 3 + 19 + 1 + (4 + 2) + V),
        ("SET b[10].c = :v", 3 + 19 + 1 + (4 + 2) + (4 + 1) + V),
        ("SET b = c", 3 + 19 + 1 + (1 + 15)),
        ("SET b = cdef", 3 + 19 + 1 + (1 + 18)),
        ("SET b = c.de[10]", 3 + 19 + 1 + 1 + (14 + 1) + (14 + 2) + (14 + 2)),
        ("SET b = b + :n", 3 + 19 + 1 + 34 + 16 + N),
        ("SET b = :n - b", 3 + 19 + 1 + 37 + 16 + N),
        ("SET b = :n + :n", 3 + 19 + 1 + 34 + 2 * N),
        ("SET b = if_not_exists(b, :v)", 3 + 19 + 1 + 39 + 16 + V),
        ("SET b = list_append(b, :l)", 3 + 19 + 1 + 37 + 16 + L),
        ("SET b = list_append(if_not_exists(b.c, :l), :l)", 3 + 19 + 1 + 37 + 39 + 31 + 2 * L),
        ("SET b = if_not_exists(b, :n) + :n", 3 + 19 + 1 + 34 + 39 + 16 + 2 * N),
        ("ADD b :n", 3 + 19 + 1 + N),
        ("ADD b.c :ss", 3 + 19 + 1 + 5 + SS),
        ("REMOVE b", 3 + 1 + 1),
        ("REMOVE bcd, e[7]", 3 + (1 + 3) + (1 + 1 + 5)),
        # What is taken away is not counted.
        ("DELETE b :ss", 3 + 1 + 1),
        ("SET b = :v REMOVE c", 3 + 19 + 1 + V + 1 + 1),
    ],
)
def test_clause_bytes(text, cost):
    names = {"#e": "é"} if "#e" in text else None
    update = bound(names, used(text, VALUES), update=text).update
    assert update.shape.cost(update.constants) == cost


# AttributeUpdates are sized as the finished item alone.
def test_updates_that_were_not_written_as_expressions_are_not_weighed():
    value = {"S": "x" * 500_000}
    action = Set(Path(("b",)), Constant(0))
    assert update_of([action], [value]).shape.cost is None
