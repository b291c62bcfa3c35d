"""SQL agrees to the last digit with Python's Decimal, or is refused with the attribute named."""

import json
from base64 import b64decode
from decimal import MAX_PREC, Decimal, localcontext
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.backups.archives.objects import parquet_of
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.database import Database, SqlOptions
from hashrange.tools.sql.items import VERSION_TIME, Form, Items
from hashrange.tools.sql.shapes import time_of
from hashrange.tools.sql.statements import statements_of
from tests.rows import rows

KINDS = ("S", "N", "B", "BOOL", "SS", "NS", "BS", "L", "M", "NULL")
texts = st.text(max_size=4).filter(
    lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text)
)
plain_numbers = st.decimals(-(10**9), 10**9, places=3).map(lambda n: format(n.normalize(), "f"))
any_numbers = st.one_of(
    plain_numbers,
    st.builds(
        lambda digits, power, sign: format(
            Decimal((sign, tuple(map(int, str(digits))), power)), "f"
        ),
        st.integers(1, 10**38 - 1),
        st.integers(-130, 80),
        st.integers(0, 1),
    ),
)
binary = st.sampled_from(["", "AA==", "/w==", "aGVsbG8="])


def values(numbers):
    scalars = st.one_of(
        texts.map(lambda text: {"S": text}),
        numbers.map(lambda text: {"N": text}),
        binary.map(lambda text: {"B": text}),
        st.booleans().map(lambda flag: {"BOOL": flag}),
        st.just({"NULL": True}),
        st.lists(texts, min_size=1, max_size=2, unique=True).map(lambda some: {"SS": some}),
        st.lists(numbers, min_size=1, max_size=2, unique=True).map(lambda some: {"NS": some}),
        st.lists(binary, min_size=1, max_size=2, unique=True).map(lambda some: {"BS": some}),
    )
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=2).map(lambda some: {"L": some}),
            st.dictionaries(st.sampled_from(["x", "X", "y/~", 'q"']), inner, max_size=2).map(
                lambda some: {"M": some}
            ),
        ),
        max_leaves=4,
    )


names = st.sampled_from(["a", "b", "A'", 'n"o', "p/q~", "item", "_pk", "c"])
tables = st.sampled_from([plain_numbers, any_numbers]).flatmap(
    lambda numbers: st.lists(st.dictionaries(names, values(numbers), max_size=5), max_size=6)
)
numbered = count()


def loaded(folder, items, *, form=Form.ITEMS, **options):
    """A database with a table `t`, whose key is `pk`, of files as each source has them."""
    path = Path(folder) / "items.jsonl"
    whole = [{"pk": {"S": str(number)}, **item} for number, item in enumerate(items)]
    if form == Form.ARCHIVE:
        content = parquet_of([archived(number, item) for number, item in enumerate(whole)])
    else:
        lines = [{"Item": item} if form == Form.EXPORT else item for item in whole]
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(content)
    database = Database(Path(folder), SqlOptions(**options))
    found = Items(
        table="t",
        files=[path],
        key=[("pk", "S")],
        time=VERSION_TIME if form == Form.ARCHIVE else time_of(0),
        form=form,
        count=len(whole),
        remark="",
    )
    database.load(found)
    return database, found


def archived(number, item):
    """A line of an object: the deletion of an item."""
    row = {"version": number, "time": "2026-11-28 10:00:00", "bytes": 1, "item": item}
    return json.dumps({**row, "key": json.dumps({"pk": item["pk"]})}).encode() + b"\n"


def answer(database, items, sql):
    (statement,) = statements_of(sql)
    database.show(items, statement.wanted)
    with database.answers(statement) as cursor:
        return cursor.fetchall()


def test_texts_beside_are_found_alone(tmp_path):
    database, found = loaded(tmp_path, [{"n": {"N": "1" + "0" * 100}}])
    assert answer(database, found, "SELECT strlen(n_text) FROM t") == [(101,)]


def quoted(name):
    return '"{}"'.format(name.replace('"', '""'))


PYTHON = {"S": lambda text: text, "N": Decimal, "B": b64decode}


@given(tables, st.sampled_from([Form.ITEMS, Form.EXPORT, Form.ARCHIVE]))
def test_aggregates_are_those_of_python(items, form):
    with TemporaryDirectory() as folder, localcontext(prec=MAX_PREC // 2):
        database, loaded_items = loaded(folder, items, form=form)
        attributes = sorted({name for item in items for name in item} - {"item", "_pk"})
        for name in attributes:
            found = [item[name] for item in items if name in item and "NULL" not in item[name]]
            for kind in KINDS:
                contents = [each[kind] for each in found if kind in each]
                is_mixed = len({next(iter(each)) for each in found}) > 1
                if contents:
                    column = f"{quoted(name)}.{kind}" if is_mixed else quoted(name)
                    _check(database, loaded_items, (name, column, kind), contents, found)


def _check(database, items, where, contents, values):
    name, column, kind = where
    functions = ["count"] + ["min", "max"] * (kind in PYTHON) + ["sum", "avg"] * (kind == "N")
    selected = ", ".join(f"{function}({column})" for function in functions)
    refusal = ""
    try:
        ((*found,),) = answer(database, items, f"SELECT {selected} FROM t")
    except InputError as error:
        refusal = str(error)
    if refusal:
        # Only attributes with numbers that 38 digits do not hold are refused.
        assert name in refusal
        assert not _fits([*_numbers(values)])
        return
    assert found[0] == len(contents)
    if kind in PYTHON:
        expected = [PYTHON[kind](each) for each in contents]
        order = (lambda text: text.encode()) if kind == "S" else None
        assert found[1:3] == [min(expected, key=order), max(expected, key=order)]
    if kind == "N":
        assert found[3] == sum(expected)
        assert found[4] == pytest.approx(float(sum(expected) / len(expected)), rel=1e-12)


def _numbers(value):
    """All numbers in a value, at any depth."""
    if isinstance(value, list):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, dict):
        for kind, each in value.items():
            if kind in {"N", "NS"} and not isinstance(each, dict):
                yield from map(Decimal, [each] if kind == "N" else each)
            elif not isinstance(each, str):
                yield from _numbers(each)


def _fits(numbers):
    """Whether a decimal of 38 digits holds all numbers, and their sum."""
    scale = max(max(0, -number.normalize().as_tuple().exponent) for number in numbers)
    sums = [
        *numbers,
        sum(numbers),
        sum(n for n in numbers if n > 0),
        sum(n for n in numbers if n < 0),
    ]
    return scale <= 38 and max(abs(number) for number in sums) < Decimal(10) ** (38 - scale)


def test_numbers_that_do_not_fit_are_texts_beside(tmp_path):
    items = [{"n": {"N": text}} for text in ("1.5", "2.25", "1" + "0" * 100)]
    database, found = loaded(tmp_path, items)
    assert answer(database, found, "SELECT sum(n) FROM t WHERE strlen(n_text) < 9") == [
        (Decimal("3.75"),)
    ]
    with pytest.raises(InputError, match=r"the attribute n has numbers that .*: read n_text"):
        answer(database, found, "SELECT sum(n) FROM t")
    assert answer(database, found, "SELECT max(strlen(n_text)), count(*) FROM t") == [(101, 3)]


# Other servers than DynamoDB answer numbers as they were sent.
@rows("number", ["1E+2", "1e-2", "+5"])
def test_numbers_that_are_not_plain_digits_are_texts(tmp_path_factory, number):
    folder = tmp_path_factory.mktemp("sql")
    database, found = loaded(folder, [{"n": {"N": number}}, {"n": {"N": "2"}}])
    assert answer(database, found, "SELECT n_text FROM t WHERE pk = '0'") == [(number,)]
    assert answer(database, found, "SELECT n FROM t WHERE pk = '1'") == [(2,)]
    with pytest.raises(InputError, match="read n_text"):
        answer(database, found, "SELECT sum(n) FROM t")


def test_a_sum_of_too_many_digits_is_refused(tmp_path):
    database, found = loaded(tmp_path, [{"n": {"N": "9" * 38}}, {"n": {"N": "1"}}])
    with pytest.raises(InputError, match=r"Overflow in SUM .* The statement reads n"):
        answer(database, found, "SELECT sum(n) FROM t")


# One deletion is one row, whatever the number of objects that have it.
def test_a_deletion_that_is_stored_twice_counts_once(tmp_path):
    item = {"pk": {"S": "1"}, "n": {"N": "0.1"}}
    other = parquet_of([archived(1, item), archived(2, item)])
    (tmp_path / "items.jsonl").write_bytes(other)
    (tmp_path / "again").write_bytes(parquet_of([archived(1, item)]))
    database = Database(tmp_path, SqlOptions())
    files = [tmp_path / "items.jsonl", tmp_path / "again"]
    found = Items(table="t", files=files, key=(), time=VERSION_TIME, form=Form.ARCHIVE, remark="")
    database.load(found)
    assert answer(database, found, "SELECT count(*), sum(n) FROM t") == [(2, Decimal("0.2"))]


# Beyond its memory DuckDB writes to its folder: the groups here are twice as large.
@pytest.mark.long
def test_what_does_not_fit_into_memory_is_on_disk(tmp_path):
    item_count, text = 75_000, "x" * 4000
    items = [{"n": {"N": str(n)}, "text": {"S": f"{n:05}{text}"}} for n in range(item_count)]
    database, found = loaded(tmp_path, items, memory="150MB")
    (statement,) = statements_of("SELECT sum(n) total, text FROM t GROUP BY text")
    database.show(found, statement.wanted)
    with database.answers(statement) as cursor:
        totals = [n for rows in iter(lambda: cursor.fetchmany(1000), []) for n, _ in rows]
    assert sorted(totals) == [*range(item_count)]


ITEMS = [
    {
        "text": {"S": "é"},
        "price": {"N": "12.50"},
        "addr": {"M": {"city": {"S": "Rome"}, "at": {"M": {"lat": {"N": "1.5"}}}}},
        "set": {"NS": ["1", "2.5"]},
        "list": {"L": [{"N": "1"}, {"NULL": True}]},
        "several": {"L": [{"N": "1"}, {"S": "x"}]},
        "odd": {"M": {"a": {"S": "x"}}},
        "mixed": {"N": "7"},
        "Case": {"S": "upper"},
    },
    {"odd": {"M": {"a": {"N": "1"}}}, "mixed": {"S": "7"}, "case": {"S": "lower"}},
]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A database with all of them."""
    database, found = loaded(tmp_path_factory.mktemp("sql"), ITEMS)
    yield database, found
    database.close()


@rows(
    "sql, expected",
    [
        ("SELECT price, text FROM t WHERE price > 1", [(Decimal("12.5"), "é")]),
        ("SELECT addr.city, addr.at.lat FROM t LIMIT 1", [("Rome", Decimal("1.5"))]),
        ('SELECT "set", list FROM t LIMIT 1', [([Decimal(1), Decimal("2.5")], [1, None])]),
        ("SELECT several[2] FROM t LIMIT 1", [('{"S":"x"}',)]),
        ("SELECT odd->>'$.a.N' FROM t ORDER BY pk DESC LIMIT 1", [("1",)]),
        (
            "SELECT mixed.N, mixed.S, union_tag(mixed) FROM t ORDER BY pk",
            [(7, None, "N"), (None, "7", "S")],
        ),
        ('SELECT "Case_1", case_2 FROM t ORDER BY pk', [("upper", None), (None, "lower")]),
        ("SELECT _pk FROM t ORDER BY pk LIMIT 1", [('{"pk":{"S":"0"}}',)]),
        ("SELECT item->>'$.text.S' FROM t ORDER BY pk LIMIT 1", [("é",)]),
        ("SELECT count(*) FROM t a JOIN t b USING (pk)", [(2,)]),
        ("SELECT typeof(o) FROM (SELECT price o FROM t) LIMIT 1", [("DECIMAL(4,2)",)]),
        ("SELECT count(*) FROM t NATURAL JOIN t b WHERE text = 'é'", [(0,)]),
        ("SELECT t.price FROM t ORDER BY 1 LIMIT 1", [(Decimal("12.5"),)]),
        ("SELECT struct_extract(t, 'text') FROM t WHERE pk = '0'", [("é",)]),
    ],
)
def test_attributes_are_columns(sample, sql, expected):
    database, found = sample
    assert answer(database, found, sql) == expected


def test_a_later_statement_reads_more_columns(tmp_path):
    database, found = loaded(tmp_path, ITEMS)
    assert answer(database, found, "SELECT sum(price) FROM t") == [(Decimal("12.5"),)]
    assert answer(database, found, "SELECT max(addr.at.lat) FROM t") == [(Decimal("1.5"),)]
    assert len(answer(database, found, "SELECT * FROM t")) == 2


@rows(
    "fixed, expected",
    [
        ({"price": "DECIMAL(10,3)"}, [(Decimal("12.500"),)]),
        ({"price": "VARCHAR"}, [("12.50",)]),
        ({"price": "DOUBLE"}, [(12.5,)]),
        ({"price": "DECIMAL(10,1)"}, "the attribute price is not DECIMAL"),
        ({"price": "BIGINT"}, "the attribute price is not BIGINT"),
        ({"price": "BOOLEAN"}, "the attribute price is not BOOLEAN"),
    ],
)
def test_types_are_fixed(tmp_path_factory, fixed, expected):
    database, found = loaded(tmp_path_factory.mktemp("sql"), ITEMS, fixed=fixed)
    sql = "SELECT price FROM t WHERE pk = '0'"
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            answer(database, found, sql)
    else:
        assert answer(database, found, sql) == expected


@rows(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('{path}')",
        "SELECT * FROM '{path}'",
        "SELECT * FROM glob('/*')",
    ],
)
def test_statements_read_no_files(sample, tmp_path_factory, sql):
    secret = tmp_path_factory.getbasetemp() / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    database, found = sample
    with pytest.raises(InputError, match=r"disabled by configuration|does not exist"):
        answer(database, found, sql.format(path=secret))


def test_statements_read_files_on_request(tmp_path):
    (tmp_path / "some.txt").write_text("text", encoding="utf-8")
    database, found = loaded(tmp_path, ITEMS, allow_files=True)
    assert answer(database, found, f"SELECT content FROM read_text('{tmp_path}/some.txt')") == [
        ("text",)
    ]


@rows(
    "sql",
    [
        "COPY (SELECT 1) TO 'x.csv'",
        "ATTACH 'x.db'",
        "CREATE TABLE x (a INT)",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "SELEC 1",
    ],
)
def test_only_selects_are_statements(sql):
    with pytest.raises(InputError):
        statements_of(sql)
