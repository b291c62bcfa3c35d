"""The keys that statements name, with the values of their parameters."""

from hashrange.api.audit.selection import keys_of
from tests.rows import rows
from tests.unit.api.audit.requests import Recording

A, B, C = {"S": "a"}, {"S": "b"}, {"N": "1.0"}
RECORDING = Recording()


@rows(
    ("statement", "parameters", "keys"),
    [
        ("SELECT * FROM Music WHERE Artist = ?", [A], [{"Artist": "a"}]),
        (
            'SELECT * FROM "Music" WHERE "Artist" = ? AND SongTitle = ?',
            [A, C],
            [{"Artist": "a", "SongTitle": "1"}],
        ),
        (
            "UPDATE Music SET Album = ? WHERE Artist=? AND SongTitle='it''s'",
            [{"S": "secret"}, A],
            [{"Artist": "a", "SongTitle": "it's"}],
        ),
        ("DELETE FROM Music WHERE SongTitle = -1.50 AND Artist = ?", [B], [("b", "-1.5")]),
        ("SELECT * FROM Music WHERE Artist IN [?, 'x', -2]", [A], [("a",), ("x",), ("-2",)]),
        ("SELECT * FROM Music WHERE Artist = ? OR (Artist = ?)", [A, B], [("a",), ("b",)]),
        (
            "SELECT * FROM Music WHERE Artist = ? AND SongTitle IN (?, ?)",
            [A, B, C],
            [("a", "b"), ("a", "1")],
        ),
        (
            "INSERT INTO Music VALUE {'Album': ?, 'Artist': ?, 'x': {'SongTitle': 'secret'}}",
            [{"S": "secret"}, A],
            [("a",)],
        ),
        ("INSERT INTO Music VALUE {'Artist': 'a', 'SongTitle': 5}", None, [("a", "5")]),
        # There is no such parameter, or it is no value of a key.
        ("SELECT * FROM Music WHERE Artist = ?", None, [("***(Redacted)",)]),
        ("SELECT * FROM Music WHERE Artist = ?", [{"BOOL": True}], [("***(Redacted)",)]),
        ("SELECT * FROM Music WHERE Artist = ?", {"S": "secret"}, [("***(Redacted)",)]),
        # What is not certainly the value of a key.
        ("SELECT * FROM Music", None, []),
        ("SELECT * FROM Music WHERE SongTitle = ?", [A], []),
        ("SELECT Artist FROM Music WHERE Album = 'secret'", None, []),
        ("SELECT * FROM Music WHERE x.Artist = 'secret'", None, []),
        ("SELECT * FROM Music WHERE Artist.x = 'secret'", None, []),
        ("SELECT * FROM Music WHERE Artist > 'secret'", None, []),
        ("SELECT * FROM Music WHERE Album = Artist", None, []),
        ("UPDATE Music SET Artist = 'secret'", None, []),
        ("INSERT INTO Music VALUE {'x': {'Artist': 'secret'}}", None, []),
        ("INSERT INTO Music VALUE {'x': ['Artist', 'secret']}", None, []),
        ("SELECT * FROM Music WHERE Artist = 'secret' || 'x'", None, []),
        ("SELECT * FROM Music WHERE Artist =", None, []),
        ("INSERT INTO Music VALUE {'Artist':", None, []),
        ("SELECT * FROM Music WHERE Artist IN [", None, []),
        ("WHERE Artist", None, []),
    ],
)
def test_keys_of_statements(statement, parameters, keys):
    body = {"Statement": statement}
    if parameters is not None:
        body["Parameters"] = parameters
    found = [key for _, key in keys_of(RECORDING.record("ExecuteStatement", body))]
    assert [each if isinstance(each, dict) else tuple(each) for each in keys] == [
        each if isinstance(wanted, dict) else tuple(each.values())
        for each, wanted in zip(found, keys, strict=True)
    ]
    for name in ("BatchExecuteStatement", "ExecuteTransaction"):
        member = "Statements" if name.startswith("Batch") else "TransactStatements"
        event = RECORDING.record(name, {member: [body]})
        assert list(keys_of(event)) == [("Music", key) for key in found]


def test_parameters_that_are_not_of_keys_are_in_no_record():
    text = "UPDATE Music SET Album = ? WHERE Artist = ? AND SongTitle = ? AND x = ?"
    secret = {"S": "zzsecretzz"}
    body = {"Statement": text, "Parameters": [secret, A, B, secret]}
    event = RECORDING.record("ExecuteStatement", body)
    assert event.request_parameters == {"statement": text, "key": {"Artist": "a", "SongTitle": "b"}}
