"""Tables, moments and keys of statements of SQL."""

import pytest

from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.statements import check_version, statements_of
from tests.rows import rows

KEY = [("pk", "S"), ("sk", "N")]


@rows(
    "sql, tables",
    [
        ("SELECT 1", []),
        ('SELECT * FROM a, b JOIN "c-d.e" USING (x)', ["a", "b", "c-d.e"]),
        ("WITH a AS (SELECT * FROM b) SELECT * FROM a", ["b"]),
        (
            "SELECT (SELECT max(x) FROM inner_one) FROM a WHERE EXISTS (FROM c)",
            ["a", "c", "inner_one"],
        ),
        ("FROM a UNION SELECT 1 FROM a", ["a"]),
        ("SUMMARIZE a", ["a"]),
    ],
)
def test_tables_are_found(sql, tables):
    (statement,) = statements_of(sql)
    assert sorted(statement.tables) == tables


def test_statements_end_with_semicolons():
    assert [each.sql for each in statements_of("SELECT ';'; -- one;\nSELECT 2;")] == [
        "SELECT ';'",
        "-- one;\nSELECT 2",
    ]


@rows(
    "sql, moment",
    [
        ("SELECT * FROM a AS OF '2026-11-27' x JOIN b as of '2026-11-27' USING (y)", "2026-11-27"),
        ("SELECT 'AS OF ''x''', \"AS OF 'y'\" FROM a -- AS OF 'z'", None),
        ("SELECT * FROM a AS of_ WHERE x = '1'", None),
    ],
)
def test_moments_are_taken_out(sql, moment):
    (statement,) = statements_of(sql)
    assert statement.moment == moment
    assert statement.tables[0] == "a"


def test_each_statement_has_its_moment():
    text = "SELECT /*moment0*/ 1 FROM a AS OF 'x'; FROM b; SELECT ';' FROM a AS OF 'y' -- AS OF 'z'"
    assert [each.moment for each in statements_of(text)] == ["x", None, "y"]


def test_two_moments_are_refused():
    with pytest.raises(InputError, match="one moment"):
        statements_of("SELECT * FROM a AS OF '2026-11-27', b AS OF '2026-11-28'")


@rows(
    "where, comparisons",
    [
        ("pk = 'a'", {"pk": ("=", {"S": "a"})}),
        ("'a' = PK AND x > 1", {"pk": ("=", {"S": "a"})}),
        ("pk = 'a' AND 5 <= sk", {"pk": ("=", {"S": "a"}), "sk": (">=", {"N": "5"})}),
        (
            "t.pk = 'it''s' AND (sk < -1.5)",
            {"pk": ("=", {"S": "it's"}), "sk": ("<", {"N": "-1.5"})},
        ),
        ("pk = 'a' AND sk = '5'", {"pk": ("=", {"S": "a"})}),
        ("pk = 5", None),
        ("pk > 'a'", None),
        ("pk = 'a' OR x = 1", None),
        ("NOT pk = 'a'", None),
        ("pk = x", None),
        ("pk = ''", None),
    ],
)
def test_keys_make_a_query(where, comparisons):
    (statement,) = statements_of(f"SELECT x FROM t WHERE {where}")
    found = statement.key_range(KEY)
    assert (None if found is None else dict(found.comparisons)) == comparisons


@rows(
    "sql",
    [
        "SELECT * FROM t a, t b WHERE a.pk = 'x'",
        "SELECT * FROM (SELECT * FROM t) WHERE pk = 'x'",
        "WITH u AS (SELECT * FROM t) SELECT * FROM t WHERE pk = 'x'",
        "SELECT * FROM t WHERE pk = 'x' UNION SELECT * FROM t",
        "SELECT *, (SELECT count(*) FROM t) FROM t WHERE pk = 'x'",
        "SELECT * FROM t AS t(sk, pk) WHERE pk = 'x'",
        "SELECT * FROM t",
    ],
)
def test_a_statement_that_reads_more_is_no_query(sql):
    (statement,) = statements_of(sql)
    assert statement.key_range(KEY) is None


@rows(
    "sql, wanted",
    [
        ("SELECT A, sum(b.c) s FROM t WHERE d = 1 GROUP BY A", {"a", "b", "c", "d"}),
        ("SELECT count(*) FROM a JOIN b USING (X)", {"x"}),
        ("SELECT * FROM t", None),
        ("SELECT t FROM t", None),
        ("SELECT o FROM t o", None),
        ("SELECT count(*) FROM a NATURAL JOIN b", None),
        ("SELECT COLUMNS('a.*') FROM t", None),
        ("DESCRIBE t", None),
    ],
)
def test_columns_that_are_read(sql, wanted):
    (statement,) = statements_of(sql)
    assert statement.wanted == (None if wanted is None else frozenset(wanted))


def test_an_old_duckdb_is_refused():
    check_version("2.0.1")
    with pytest.raises(
        InputError, match=r"SQL needs DuckDB 2, and 1\.4\.5 is installed: .*duckdb>=2"
    ):
        check_version("1.4.5")
