"""The types of all attributes of a table, found by DuckDB in all of its items.

Nothing is sampled: a column has a type only if each value is exact in it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.columns import COLUMNS_MAX
from hashrange.tools.sql.shapes import (
    DECIMAL_DIGITS_MAX,
    Numbers,
    Shape,
    escaped,
    fraction_digits,
    is_odd,
    literal,
    texts_of_set,
    whole_digits,
)

_AT_ONCE: Final = 100
"""Attributes that one statement reads."""
_FIELDS_MAX: Final = 200
"""Maps of one attribute with more fields are JSON."""
_LEVELS_MAX: Final = 8
_NONE: Final = ""
"""The name of a member of an empty item: attributes have one."""
_ELEMENTS: Final = frozenset({"S", "N", "B", "BOOL"})


class Profiler:
    """Reads a table of one column, `item`, of DynamoDB-JSON.

    Args:
        connection: of DuckDB.
        table: the SQL name of the table.
        root: where in `item` the attributes are, a JSON pointer.
    """

    def __init__(self, connection: Any, table: str, root: str) -> None:
        self._connection = connection
        self._table = table
        self._root = root

    def names(self) -> list[str]:
        """The names of all attributes. Raises CopyError: there are too many, or an empty item."""
        found = self._names(
            self._root, COLUMNS_MAX, f"CASE WHEN len(k) > 0 THEN k ELSE ['{_NONE}'] END"
        )
        if found is None:
            raise CopyError(f"the items have more than {COLUMNS_MAX:,} attributes")
        if _NONE in found:
            raise CopyError("the files are damaged: they have lines without an item")
        return sorted(found)

    def shapes(self, names: Sequence[str], types: Mapping[str, str]) -> dict[str, list[Shape]]:
        """The types of the values of some attributes; none if there is no value but NULL.

        Args:
            names: the attributes.
            types: those of attributes without a value.
        """
        return self._shapes(self._root, names, types, 1)

    def _shapes(
        self, pointer: str, names: Sequence[str], types: Mapping[str, str], level: int
    ) -> dict[str, list[Shape]]:
        """The types of the members of an object."""
        pointers = {name: f"{pointer}/{escaped(name)}" for name in names}
        kinds = self._kinds(pointers)
        for name in names:
            if not kinds[name] and name in types:
                kinds[name] = [types[name]]
        numbers = self._numbers(
            {name: f"{pointers[name]}/N" for name in names if "N" in kinds[name]}
        )
        return {
            name: [
                Shape("N", numbers[name])
                if kind == "N"
                else self._shape(pointers[name], kind, level)
                for kind in kinds[name]
            ]
            for name in names
        }

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._connection.execute(statement).fetchall()
        return rows

    def _names(self, pointer: str, most: int, names: str = "k") -> set[str] | None:
        """The names of the members of an object; None if there are more than `most`.

        `names` is the SQL of the list that has them, of that of the members, `k`.
        """
        keys = f"json_keys(item, {literal(pointer)})" if pointer else "json_keys(item)"
        source = f"(SELECT {keys} AS k FROM {self._table})"  # noqa: S608 - our own names
        rows = self._rows(f"SELECT DISTINCT unnest({names}) FROM {source} LIMIT {most + 1}")  # noqa: S608
        return {name for (name,) in rows} if len(rows) <= most else None

    def _kinds(self, pointers: Mapping[str, str]) -> dict[str, list[str]]:
        """The types of the values at some pointers, by name."""
        found: dict[str, list[str]] = {}
        for some in _parts(pointers):
            listed = ", ".join(literal(pointers[name]) for name in some)
            lists = ", ".join(f"list(DISTINCT k[{n}][1])" for n in range(1, len(some) + 1))
            (kinds,) = self._rows(
                f"SELECT {lists} FROM (SELECT json_keys(item, [{listed}]) k FROM {self._table})"  # noqa: S608
            )
            for name, each in zip(some, kinds, strict=True):
                found[name] = sorted({kind for kind in each or () if kind} - {"NULL"})
        return found

    def _numbers(self, pointers: Mapping[str, str]) -> dict[str, Numbers]:
        """The types of the numbers at some pointers, by name."""
        found: dict[str, Numbers] = {}
        for some in _parts(pointers):
            listed = ", ".join(literal(pointers[name]) for name in some)
            source = f"SELECT json_extract_string(item, [{listed}]) v FROM {self._table}"  # noqa: S608
            texts = [f"v[{n}]" for n in range(1, len(some) + 1)]
            found.update(zip(some, self._numbers_of(source, texts), strict=True))
        return found

    def _numbers_of(self, source: str, texts: Sequence[str]) -> Iterator[Numbers]:
        """The types of columns of the texts of numbers."""
        facts = ", ".join(
            f"max({whole_digits(text)}), max({fraction_digits(text)}), bool_or({is_odd(text)})"
            for text in texts
        )
        (row,) = self._rows(f"SELECT {facts} FROM ({source})")  # noqa: S608
        found = iter(row)
        for text, whole, fraction, odd in zip(texts, found, found, found, strict=True):
            if odd or (whole or 0) + (fraction or 0) > DECIMAL_DIGITS_MAX:
                yield self._best(source, text)
            else:
                yield Numbers(whole or 0, fraction or 0)

    def _best(self, source: str, text: str) -> Numbers:
        """The DECIMAL that holds the most of numbers that none holds all of."""
        sizes = self._rows(
            f"SELECT {whole_digits(text)} w, {fraction_digits(text)} f, count(*) "  # noqa: S608
            f"FROM ({source}) WHERE NOT {is_odd(text)} GROUP BY w, f"
        )

        def held(scale: int) -> int:
            whole = DECIMAL_DIGITS_MAX - scale
            return sum(count for w, f, count in sizes if w <= whole and f <= scale)

        scale = max(range(DECIMAL_DIGITS_MAX + 1), key=held)
        return Numbers(DECIMAL_DIGITS_MAX - scale, scale, fits=False)

    def _shape(self, pointer: str, kind: str, level: int) -> Shape:
        here = f"{pointer}/{kind}"
        content = f"(item->{literal(here)})"
        match kind:
            case "NS":
                source = f"SELECT unnest({texts_of_set(content)}) t FROM {self._table}"  # noqa: S608
                (numbers,) = self._numbers_of(source, ["t"])
                return Shape(kind, numbers)
            case "L":
                return Shape(kind, element=self._element(content))
            case "M" if level < _LEVELS_MAX:
                return Shape(kind, fields=self._fields(here, level))
            case _:
                return Shape(kind)

    def _element(self, content: str) -> Shape | None:
        source = f"SELECT unnest(CAST({content} AS JSON[])) e FROM {self._table}"  # noqa: S608
        ((found,),) = self._rows(f"SELECT list(DISTINCT json_keys(e)[1]) FROM ({source})")  # noqa: S608
        kinds = set(found or ()) - {"NULL"}
        if len(kinds) != 1 or not kinds <= _ELEMENTS:
            return None
        (kind,) = kinds
        if kind != "N":
            return Shape(kind)
        (numbers,) = self._numbers_of(f"SELECT e->>'/N' t FROM ({source})", ["t"])  # noqa: S608
        return Shape(kind, numbers) if numbers.fits else None

    def _fields(self, pointer: str, level: int) -> Mapping[str, Shape]:
        """The fields of maps that all have one type; none if the maps have to be JSON."""
        names = self._names(pointer, _FIELDS_MAX)
        if names is None or len({name.lower() for name in names}) < len(names):
            return {}
        found: dict[str, Shape] = {}
        for name, shapes in self._shapes(pointer, sorted(names), {}, level + 1).items():
            if len(shapes) > 1 or not all(each.numbers.fits for each in shapes):
                return {}
            found[name] = shapes[0] if shapes else Shape("NULL")
        return found


def _parts(names: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(names)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
