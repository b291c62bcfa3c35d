"""Names and values of a file that its format does not have, with those that it has."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from msgspec import inspect


def misspelling(data: object, kind: type) -> str | None:
    """The first unknown name or value in the data of a file; None if there is none.

    Other faults, as of types and bounds, are left to `msgspec.convert`.

    Args:
        data: what the file has, as dicts, lists and scalars.
        kind: the struct that it is to be converted to.
    """
    return next(_faults(data, inspect.type_info(kind), ""), None)


def suggestion(wrong: object, known: Iterable[str]) -> str:
    """The known names, with the one that is most like the wrong one."""
    names = list(known)
    near = get_close_matches(str(wrong), names, 1)
    listed = ", ".join(names)
    return f"did you mean {near[0]}? It is one of {listed}" if near else f"it is one of {listed}"


def _faults(data: Any, kind: inspect.Type, path: str) -> Iterator[str]:
    match kind:
        case inspect.StructType() if isinstance(data, dict):
            yield from _of_struct(data, kind, path)
        case inspect.DictType() if isinstance(data, dict):
            for name, value in data.items():
                yield from _faults(name, kind.key_type, f"{path}.{name}" if path else name)
                yield from _faults(value, kind.value_type, f"{path}.{name}" if path else name)
        case inspect.ListType() | inspect.VarTupleType() if isinstance(data, list):
            for number, value in enumerate(data, 1):
                yield from _faults(value, kind.item_type, f"{path}, number {number}")
        case inspect.LiteralType() if isinstance(data, str) and data not in kind.values:
            known = [value for value in kind.values if isinstance(value, str)]
            yield f"{path}: no such value {data!r}, {suggestion(data, known)}"
        case _:
            return


def _of_struct(data: dict[str, Any], kind: inspect.StructType, path: str) -> Iterator[str]:
    fields = {field.encode_name: field.type for field in kind.fields}
    for name, value in data.items():
        if name not in fields:
            where = f"{path}: " if path else ""
            yield f"{where}no such name {name!r}, {suggestion(name, fields)}"
        else:
            yield from _faults(value, fields[name], f"{path}.{name}" if path else name)
