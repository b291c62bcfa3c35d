"""Lines that are loaded in parts while more are written."""

import json

import pytest

from hashrange.tools.copying.place import CopyError
from hashrange.tools.sql.database import Database, SqlOptions
from hashrange.tools.sql.items import Items
from hashrange.tools.sql.loading import Lines
from hashrange.tools.sql.shapes import time_of
from hashrange.tools.sql.statements import statements_of

LINES = [b"%d\n" % number for number in range(1000)]
MEGABYTES = 130


def written(folder, load):
    lines = Lines(folder, load, part_bytes=10)
    try:
        for line in LINES:
            lines.write(line)
        lines.end()
    finally:
        lines.close()
    return lines


def test_parts_have_all_lines_in_their_order(tmp_path):
    parts = []

    def load(path):
        parts.append(path.read_bytes())
        return parts[-1].count(b"\n")

    assert written(tmp_path, load).rows == len(LINES)
    assert b"".join(parts) == b"".join(LINES)
    # Parts grow, so that there are few.
    assert 1 < len(parts) < 60
    assert [*tmp_path.iterdir()] == []


def test_what_cannot_be_loaded_is_an_error(tmp_path):
    def load(path):
        raise OSError(f"no space for {path.name}")

    with pytest.raises(OSError, match="no space for lines-1"):
        written(tmp_path, load)
    assert [*tmp_path.iterdir()] == []


def test_no_lines_are_an_empty_table(tmp_path):
    lines = Lines(tmp_path, lambda path: pytest.fail(f"{path} is loaded"))
    lines.end()
    lines.close()
    assert lines.rows == 0


@pytest.mark.long
def test_a_table_of_several_parts_has_all_items(tmp_path):
    database = Database(tmp_path, SqlOptions())
    text, count = "x" * 10_000, MEGABYTES * 100
    with database.lines("t") as lines:
        for number in range(count):
            item = {"n": {"N": str(number)}, "text": {"S": text}}
            lines.write(json.dumps(item).encode() + b"\n")
    items = Items(table="t", files=(), key=(), time=time_of(0), count=count, remark="")
    database.load(items, lines)
    (statement,) = statements_of("SELECT count(*), sum(n), min(strlen(text)) FROM t")
    database.show(items, statement.wanted)
    with database.answers(statement) as cursor:
        assert cursor.fetchall() == [(count, count * (count - 1) // 2, 10_000)]
    database.forget("t")
    with database.lines("t") as lines:
        lines.write(b'{"n": {"N": "1"}}\n')
    with pytest.raises(CopyError, match=f"1 lines, and {count:,} are expected"):
        database.load(items, lines)
