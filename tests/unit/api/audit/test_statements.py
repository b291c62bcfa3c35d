"""Statements of PartiQL in the audit log: values of keys stay, all others are redacted."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.audit.statements import REDACTED, statement_of
from tests.rows import rows

KEYS = ("Artist", "SongTitle")
R = REDACTED


def redacted(statement, keys=KEYS):
    return statement_of(statement, lambda _: keys).text


# The first two are examples of the Developer Guide.
@rows(
    ("statement", "expected"),
    [
        (
            (
                "SELECT * FROM Music WHERE Artist = 'No One You Know' AND SongTitle = 'Call Me' "
                "AND nonKeyAttr = 'secret'"
            ),
            (
                "SELECT * FROM Music WHERE Artist = 'No One You Know' AND SongTitle = 'Call Me' "
                f"AND nonKeyAttr = {R}"
            ),
        ),
        (
            (
                "UPDATE Music SET Album = 'secret' WHERE Artist = 'No One You Know' "
                "AND SongTitle = 'Call Me Today'"
            ),
            (
                f"UPDATE Music SET Album = {R} WHERE Artist = 'No One You Know' "
                "AND SongTitle = 'Call Me Today'"
            ),
        ),
        (
            "INSERT INTO Music VALUE {'Artist' : 'a', 'SongTitle' : 'b', 'Album' : 'c'}",
            f"INSERT INTO Music VALUE {{'Artist' : 'a', 'SongTitle' : 'b', 'Album' : {R}}}",
        ),
        # Names in maps may be values of people.
        (
            "INSERT INTO Music VALUE {'Artist': {'secret': [1, TRUE]}, 'Album': <<5, 6>>}",
            f"INSERT INTO Music VALUE {{'Artist': {{{R}: [{R}, {R}]}}, 'Album': <<{R}, {R}>>}}",
        ),
        (
            "UPDATE Music SET Album={'secret':['secret',-2]} WHERE Artist = 'a'",
            f"UPDATE Music SET Album={{{R}:[{R},-{R}]}} WHERE Artist = 'a'",
        ),
        (
            "INSERT INTO Music VALUE {'Artist': ?, 'SongTitle': -2.50, 'Album': ?, 'x': -3}",
            f"INSERT INTO Music VALUE {{'Artist': ?, 'SongTitle': -2.50, 'Album': ?, 'x': -{R}}}",
        ),
        # Only a literal that is all of the value of a key.
        (
            "INSERT INTO Music VALUE {'Artist': 'secret' || 'secret', 'SongTitle': \"secret\"}",
            f"INSERT INTO Music VALUE {{'Artist': {R} || {R}, 'SongTitle': {R}}}",
        ),
        (
            "INSERT INTO Music VALUE {'x': {'Artist': 'secret'}, 'y': 'Artist': 'secret'}",
            f"INSERT INTO Music VALUE {{'x': {{{R}: {R}}}, 'y': {R}: {R}}}",
        ),
        ("INSERT INTO Music VALUE {", "INSERT INTO Music VALUE {"),
        ("INSERT INTO Music VALUE {'Artist':", "INSERT INTO Music VALUE {'Artist':"),
        ("INSERT INTO Music VALUE {'Artist': 'secret'", f"INSERT INTO Music VALUE {{'Artist': {R}"),
        ("INSERT INTO Music VALUE {'secret'}", f"INSERT INTO Music VALUE {{{R}}}"),
        (
            "SELECT * FROM Music WHERE Artist IN ['a', 'b'] AND x IN ['secret', 'secret']",
            f"SELECT * FROM Music WHERE Artist IN ['a', 'b'] AND x IN [{R}, {R}]",
        ),
        (
            "SELECT * FROM Music WHERE SongTitle BETWEEN 'a' AND 'b' AND x BETWEEN 1 AND -2",
            f"SELECT * FROM Music WHERE SongTitle BETWEEN 'a' AND 'b' AND x BETWEEN {R} AND -{R}",
        ),
        (
            "DELETE FROM Music WHERE begins_with(SongTitle, 'a') AND contains(x, 'secret')",
            f"DELETE FROM Music WHERE begins_with(SongTitle, 'a') AND contains(x, {R})",
        ),
        # Neither an attribute of a map, nor one of the name of a key before WHERE.
        (
            "UPDATE Music SET Artist = 'secret' WHERE x.Artist = 'secret' AND Artist.y = 'secret'",
            f"UPDATE Music SET Artist = {R} WHERE x.Artist = {R} AND Artist.y = {R}",
        ),
        # Words in quotes of either kind are no words.
        (
            "SELECT * FROM Music WHERE Artist 'IN' 'secret' AND x = \"secret\" AND 'WHERE' = 'q'",
            f"SELECT * FROM Music WHERE Artist {R} AND x = {R} AND {R} = {R}",
        ),
        (
            "SELECT * FROM Music /* secret */ WHERE x = TRUE -- secret\n AND x IS NOT NULL",
            f"SELECT * FROM Music WHERE x = {R} AND x IS NOT NULL",
        ),
        ("SELECT * FROM Music WHERE Artist = 'secret", R),
        ("", ""),
    ],
)
def test_values_are_redacted(statement, expected):
    assert redacted(statement) == expected


@rows(
    ("statement", "table"),
    [
        ('SELECT a FROM "Music"."by-album" WHERE x = 1', "Music"),
        ("select a from Music", "Music"),
        ("UPDATE Music SET a = 1 WHERE b = 2", "Music"),
        ("DELETE FROM Music WHERE b = 2", "Music"),
        ("INSERT INTO Music VALUE {'a': 1}", "Music"),
        ("EXISTS(SELECT * FROM Music WHERE a = 1)", "Music"),
        ("SELECT 'FROM' Music", None),
        ("SELECT 'oops", None),
    ],
)
def test_the_table_of_a_statement(statement, table):
    assert statement_of(statement, lambda _: KEYS).table == table


SECRET = "zzsecretzz"
LITERALS = st.sampled_from([f"'{SECRET}'", f"'{SECRET}''{SECRET}'", f"['{SECRET}', 7]"])
OTHERS = st.sampled_from(["Album", "x.Artist", "Artist[0]", '"Album"', "size(Album)", "x[1].y"])
COMPARED = st.builds(
    lambda name, operator, value: f"{name} {operator} {value}",
    OTHERS,
    st.sampled_from(["=", "<>", "<", "IN", "BETWEEN 1 AND"]),
    LITERALS,
)
KEYED = st.sampled_from(
    ["Artist = 'known'", "SongTitle IN ['known']", "SongTitle BETWEEN 'known' AND 'known'"]
)
CONDITIONS = st.lists(st.one_of(COMPARED, KEYED), min_size=1, max_size=6).flatmap(
    lambda parts: st.sampled_from([" AND ", " OR ", " and NOT ", "\n OR "]).map(
        lambda word: word.join(parts)
    )
)
WORDS = (
    "Artist Album = IN [ ] { } : , WHERE BETWEEN AND INSERT VALUE SELECT FROM UPDATE SET . - ( )"
)
TOKENS = st.lists(st.sampled_from([f"'{SECRET}'", *WORDS.split()]), max_size=25)


@given(CONDITIONS)
def test_no_value_but_those_of_keys_is_shown(condition):
    shown = redacted(f"SELECT * FROM Music WHERE {condition}")
    assert SECRET not in shown
    assert shown.count("'known'") == condition.count("'known'")


# Of any sequence of tokens a text is only shown where it is compared with a key.
@given(TOKENS)
def test_a_text_is_only_shown_behind_a_key(tokens):
    statement = " ".join(tokens)
    shown = redacted(statement, ("Artist",)).split()
    for place, token in enumerate(shown):
        if SECRET in token:
            assert "Artist" in shown[:place] or shown[place + 1 : place + 2] == [":"]
    assert SECRET not in redacted(statement, ()).replace(f"'{SECRET}' :", "")
