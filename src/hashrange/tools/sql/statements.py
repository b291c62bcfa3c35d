"""Statements of SQL: their tables, the moment that they read, and keys that make a Query of a read.

The grammar is DuckDB's, as the tree that it makes of a statement.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.optional_packages import MissingPackageError, imported, install_command
from hashrange.tools.scanning.expressions import InputError

_VERSION_MIN: Final = 2
_REQUIREMENT: Final = f"duckdb>={_VERSION_MIN}"
_is_moment: Final = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\bAS\s+OF\s+'(?P<moment>[^']*)'""",
    re.IGNORECASE | re.DOTALL,
)
"""Strings, identifiers and comments, or AS OF outside of them."""
_OPERATORS: Final = {
    "COMPARE_EQUAL": "=",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
}
_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NUMBERS: Final = frozenset({"INTEGER", "NUMERIC"})


class KeyRange(msgspec.Struct, frozen=True):
    """The part of a table that a statement can need, by its key.

    Attributes:
        comparisons: operators and values in DynamoDB-JSON, by the key attribute: the partition key
            with `=`, perhaps the sort key.
    """

    comparisons: Mapping[str, tuple[str, Mapping[str, str]]]


class Statement(msgspec.Struct, frozen=True):
    """A statement.

    Attributes:
        sql: without the moment.
        tables: the names of the tables that it reads, in their order.
        moment: the moment that it reads; None for that of the command.
        columns: the names of columns in it.
        wanted: the lower-case names of all columns that it can read; None for every column.
        where: comparisons `(column, operator, kind, text)` that all rows of its only table fulfil;
            none if it has several tables.
    """

    sql: str
    tables: Sequence[str]
    moment: str | None = None
    columns: Sequence[str] = ()
    wanted: frozenset[str] | None = None
    where: Sequence[tuple[str, str, str, str]] = ()

    def key_range(self, key: Sequence[tuple[str, str]]) -> KeyRange | None:
        """The range of a key that the statement reads; None if it is the whole table.

        Args:
            key: the names and types of the key attributes, the partition key first.
        """
        found: dict[str, tuple[str, Mapping[str, str]]] = {}
        for name, kind in key:
            for column, operator, constant, text in self.where:
                fits = (kind, constant) == ("S", "STRING") or (kind == "N" and constant in _NUMBERS)
                if column.lower() == name.lower() and fits and text:
                    found.setdefault(name, (operator, {kind: text}))
        partition = found.get(key[0][0])
        if partition is None or partition[0] != "=":
            return None
        return KeyRange(found)


def require_duckdb() -> Any:
    """The module of DuckDB. Raises InputError: it is not installed, or too old."""
    try:
        duckdb = imported("duckdb", _REQUIREMENT, "SQL needs DuckDB")
    except MissingPackageError as error:
        raise InputError(str(error)) from error
    check_version(duckdb.__version__)
    return duckdb


def check_version(version: str) -> None:
    """Refuse a version of DuckDB that makes other trees of statements. Raises InputError."""
    if int(version.partition(".")[0]) < _VERSION_MIN:
        raise InputError(
            f"SQL needs DuckDB {_VERSION_MIN}, and {version} is installed: "
            f"{install_command(_REQUIREMENT)}"
        )


def statements_of(text: str) -> list[Statement]:
    """The statements of a text. Raises InputError."""
    duckdb = require_duckdb()
    mark = "/*moment"
    while mark in text:
        mark += "-"
    moments: list[str] = []

    def marked(match: re.Match[str]) -> str:
        if match["moment"] is None:
            return match[0]
        moments.append(match["moment"])
        return f" {mark}{len(moments) - 1}*/ "

    plain = _is_moment.sub(marked, text)
    try:
        found = [
            each.query.strip().rstrip(";").strip() for each in duckdb.extract_statements(plain)
        ]
        return [_statement(duckdb, sql, _moment_of(sql, mark, moments)) for sql in found if sql]
    except duckdb.Error as error:
        raise InputError(line_of_error(error)) from error


def _moment_of(sql: str, mark: str, moments: Sequence[str]) -> str | None:
    """The moment of a statement whose moments are marked. Raises InputError: it has several."""
    numbers = re.findall(rf"{re.escape(mark)}([0-9]+)\*/", sql)
    found = {moments[int(number)] for number in numbers}
    if len(found) > 1:
        raise InputError("the tables are read as of one moment: AS OF names several")
    return next(iter(found), None)


def line_of_error(error: Exception) -> str:
    """The first paragraph of an error of DuckDB, without the functions that it proposes."""
    return " ".join(str(error).split("\n\n")[0].partition("Candidate functions:")[0].split())


def _statement(duckdb: Any, sql: str, moment: str | None) -> Statement:
    ((text,),) = duckdb.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    tree = msgspec.json.decode(text)
    if tree["error"]:
        raise InputError(f"{tree['error_message']}: {sql}")
    nodes = [*_nodes(tree)]
    temporary = {
        entry["key"].lower()
        for node in nodes
        for entry in (node.get("cte_map") or {}).get("map") or ()
    }
    tables = [node["table_name"] for node in nodes if node.get("type") == "BASE_TABLE"]
    names = [name for name in dict.fromkeys(tables) if name.lower() not in temporary]
    aliases = {node["alias"].lower() for node in nodes if node.get("alias")}
    columns = {node["column_names"][-1] for node in nodes if node.get("type") == "COLUMN_REF"}
    named = sorted(name for name in columns if name.lower() not in aliases)
    return Statement(sql, names, moment, named, _wanted(nodes), _where(tree, nodes))


def _wanted(nodes: Sequence[Mapping[str, Any]]) -> frozenset[str] | None:
    """The lower-case names of the columns that a statement can read; None for every column.

    A column that is read although it is not among them is an error of the view.
    """
    found: set[str] = set()
    tables: set[str] = set()
    for node in nodes:
        if node.get("type") in {"STAR", "PIVOT", "SHOW_REF"} or node.get("ref_type") == "NATURAL":
            return None
        found.update(part.lower() for part in node.get("column_names") or ())
        found.update(part.lower() for part in node.get("using_columns") or ())
        if node.get("type") == "BASE_TABLE":
            tables |= {node["table_name"].lower(), (node.get("alias") or "").lower()}
    # The name of a table among those of columns can be its whole row.
    rows = {
        node["column_names"][0].lower()
        for node in nodes
        if len(node.get("column_names") or ()) == 1
    }
    return None if rows & tables else frozenset(found)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All objects of a tree."""
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += reversed(each.values())
        elif isinstance(each, list):
            waiting += reversed(each)


def _where(tree: Any, nodes: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """The comparisons of a statement that reads one table once; none of any other."""
    if sum("select_list" in node for node in nodes) != 1 or len(tree["statements"]) != 1:
        return []
    select = tree["statements"][0]["node"]
    table = select.get("from_table") or {}
    if table.get("type") != "BASE_TABLE" or select.get("sample") or table.get("sample"):
        return []
    # Names of columns that the table is given here, as in `t(a, b)`, are not those of attributes.
    if table.get("column_name_alias") or not isinstance(select.get("where_clause"), dict):
        return []
    return [*_comparisons(select["where_clause"])]


def _comparisons(node: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    if node["type"] == "CONJUNCTION_AND":
        for each in node["children"]:
            yield from _comparisons(each)
        return
    operator = _OPERATORS.get(node["type"])
    left, right = node.get("left"), node.get("right")
    if operator is None or not isinstance(left, dict) or not isinstance(right, dict):
        return
    if left["type"] != "COLUMN_REF":
        left, right, operator = right, left, _MIRRORED[operator]
    value = right.get("literal")
    if left["type"] == "COLUMN_REF" and isinstance(value, dict):
        yield left["column_names"][-1], operator, value["kind"], value["text"]
