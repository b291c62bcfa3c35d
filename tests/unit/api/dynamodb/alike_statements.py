"""Requests with PartiQL statements to draw; see `alike_requests`."""

from hypothesis import strategies as st

READS = (
    "SELECT * FROM Texts WHERE p = ?",
    "SELECT * FROM Texts WHERE p = ? AND k = ?",
    "SELECT a, g FROM Texts WHERE p = 'a' AND k > ?",
    "SELECT * FROM Texts WHERE p IN (?, 'b') ORDER BY k DESC",
    'SELECT * FROM Texts."global" WHERE g = ?',
    "SELECT * FROM Texts WHERE p = 'a' AND k = 'a'",
    "SELECT * FROM Texts WHERE p = 'b' AND k = 'a'",
    "SELECT * FROM Texts WHERE p = 'a' AND k = 1",
    "SELECT * FROM Numbers WHERE a = ?",
    "SELECT * FROM Nowhere WHERE p = ?",
)
WRITES = (
    "INSERT INTO Texts VALUE {'p': ?, 'k': 'a', 'a': 1.0}",
    "INSERT INTO Texts VALUE {'p': 'a', 'k': 'b', 'g': ?}",
    "UPDATE Texts SET a = ? WHERE p = 'a' AND k = 'a' RETURNING ALL NEW *",
    "UPDATE Texts SET a = a + 1 REMOVE g WHERE p = ? AND k = ?",
    "DELETE FROM Texts WHERE p = ? AND k = 'a' RETURNING ALL OLD *",
    "DELETE FROM Texts WHERE p = 'a' AND k = 'a' AND a > ?",
)
WRONG = ("SELECT", "", "SELECT * FROM Texts WHERE p = '", "UPDATE Texts SET a = ?", "?")


def statement_requests(values, *, flags, capacity, limits, on_failure, tokens):
    """The base and the members of the three operations, from strategies for their values."""
    parameters = st.one_of(st.none(), st.lists(values, max_size=3))
    one = {
        "Statement": st.sampled_from([*READS, *WRITES, *WRONG, None]),
        "Parameters": parameters,
        "ReturnValuesOnConditionCheckFailure": on_failure,
    }
    lists = [
        st.lists(
            st.fixed_dictionaries({"Statement": st.sampled_from(texts), "Parameters": parameters}),
            max_size=3,
        )
        for texts in (READS, WRITES, [*READS, *WRITES, *WRONG])
    ]
    first = {"Statement": READS[1], "Parameters": [{"S": "a"}, {"S": "a"}]}
    return {
        "ExecuteStatement": (
            {"Statement": READS[0], "Parameters": [{"S": "a"}]},
            {
                **one,
                "ConsistentRead": flags,
                "NextToken": st.sampled_from([None, "", "x", "AAAA"]),
                "ReturnConsumedCapacity": capacity,
                "Limit": limits,
            },
        ),
        "BatchExecuteStatement": (
            {"Statements": [first]},
            {"Statements": st.one_of(lists), "ReturnConsumedCapacity": capacity},
        ),
        "ExecuteTransaction": (
            {"TransactStatements": [first]},
            {
                "TransactStatements": st.one_of(lists),
                "ClientRequestToken": tokens,
                "ReturnConsumedCapacity": capacity,
            },
        ),
    }
