"""Reads the operator's file of triggers: TOML, checked as a whole before the server starts."""

import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from hashrange.background.triggers.batches import ENDLESS, Rules
from hashrange.background.triggers.destinations import Destination, Function, HttpEndpoint
from hashrange.background.triggers.errors import TriggerError
from hashrange.background.triggers.patterns import Fields, PatternError, pattern_from

BATCH_SIZE_MAX: Final = 10_000
WINDOW_SECONDS_MAX: Final = 300
RETRIES_MAX: Final = 10_000
AGE_SECONDS_MIN: Final = 60
AGE_SECONDS_MAX: Final = 604_800
FILTERS_MAX: Final = 10
SECONDS_MAX: Final = 900
"""These limits are Lambda's."""
_MS: Final = 1000
_TABLES: Final = "trigger"
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
_TABLE: Final = re.compile(r"([0-9]{12}:[a-z0-9-]+:)?[A-Za-z0-9_.-]{3,255}", re.ASCII)
_FUNCTION: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_UNBUILT: Final = ("parallelization_factor", "tumbling_window_seconds")

LATEST: Final = "LATEST"
TRIM_HORIZON: Final = "TRIM_HORIZON"


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """One trigger.

    Attributes:
        name: unique; part of the keys of its positions.
        table: a table's name, or `account:region:name` for one namespace. With separate
            namespaces, a name alone stands for the tables of that name in all of them.
        starting_position: LATEST or TRIM_HORIZON; used at its first start only.
        on_failure: the file to which records that were given up are reported.
    """

    name: str
    table: str
    destination: Destination
    batch_size: int
    batch_window_ms: int
    starting_position: str
    filters: tuple[Fields, ...]
    rules: Rules
    on_failure: Path | None
    timeout_seconds: float


def triggers_from(path: Path, *, retention_ms: int, separate: bool) -> list[Definition]:
    """Read a file of triggers; its folder is appended to the import path for functions.

    Args:
        path: the file.
        retention_ms: how long streams keep records.
        separate: whether accounts and regions have separate tables.

    Raises:
        TriggerError: the file cannot be read, or is invalid.
    """
    import tomllib  # noqa: PLC0415 - few starts need it

    try:
        file = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TriggerError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise TriggerError(f"{path}: {error}") from error
    unknown = [name for name in file if name != _TABLES]
    entries = file.get(_TABLES, [])
    if unknown or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        wrong = unknown[0] if unknown else _TABLES
        raise TriggerError(f"{path}: {wrong}: a file of triggers has [[{_TABLES}]] tables only")
    folder = path.absolute().parent
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # at the end, so that no file there hides an installed module
    definitions: list[Definition] = []
    for number, entry in enumerate(entries, 1):
        where = f"{path}: trigger {entry.get('name', number)}"
        definition = _definition(where, entry, folder, retention_ms)
        if ":" in definition.table and not separate:
            text = f"{definition.table!r} is not a name; only --namespaces separate has accounts"
            raise TriggerError(f"{where}: table: {text}")
        if any(definition.name == other.name for other in definitions):
            raise TriggerError(f"{where}: name: another trigger has it")
        definitions.append(definition)
    return definitions


def _definition(
    where: str, entry: Mapping[str, Any], folder: Path, retention_ms: int
) -> Definition:
    for key in entry:
        if key in _UNBUILT:
            raise TriggerError(f"{where}: {key}: hashrange does not support it yet")
        if key not in _KEYS:
            from difflib import get_close_matches  # noqa: PLC0415 - few starts need it

            near = get_close_matches(key, _KEYS, n=1, cutoff=0.0)[0]
            raise TriggerError(f"{where}: {key} is not a key; the nearest is {near}")
    values: dict[str, Any] = {}
    for key, (default, read) in _KEYS.items():
        if key not in entry and default is _REQUIRED:
            raise TriggerError(f"{where}: {key} is missing")
        try:
            values[key] = read(entry[key]) if key in entry else default
        except ValueError as error:
            raise TriggerError(f"{where}: {key}: {error}") from error
    age = values["maximum_age_seconds"]
    return Definition(
        name=values["name"],
        table=values["table"],
        destination=values["destination"],
        batch_size=values["batch_size"],
        batch_window_ms=values["batch_window_seconds"] * _MS,
        starting_position=values["starting_position"],
        filters=values["filters"],
        rules=Rules(
            retries=values["retries"],
            age_ms_max=ENDLESS if age == ENDLESS else age * _MS,
            retention_ms=retention_ms,
            bisect=values["bisect_on_error"],
            partial=values["partial_batch_responses"],
        ),
        on_failure=_writable(where, folder, values["on_failure"]),
        timeout_seconds=values["timeout_seconds"],
    )


def _writable(where: str, folder: Path, name: str | None) -> Path | None:
    if name is None:
        return None
    path = folder / name
    try:
        path.open("ab").close()
    except OSError as error:
        raise TriggerError(f"{where}: on_failure: {path}: {error.strerror}") from error
    return path


def _like(form: re.Pattern[str], expected: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or form.fullmatch(value) is None:
            raise ValueError(f"{value!r} is not {expected}")
        return value

    return read


def _whole(least: int, most: int, *, endless: bool = False) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if is_whole and (least <= value <= most or (endless and value == ENDLESS)):
            return int(value)
        otherwise = f"{ENDLESS}, or " if endless else ""
        raise ValueError(f"{value!r} is not {otherwise}a whole number from {least} to {most}")

    return read


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")  # noqa: TRY004 - one kind for all
    return value


def _starting_position(value: Any) -> str:
    if value not in {LATEST, TRIM_HORIZON}:
        raise ValueError(f"{value!r} is neither {LATEST} nor {TRIM_HORIZON}")
    return str(value)


def _filters(value: Any) -> tuple[Fields, ...]:
    if not isinstance(value, list) or len(value) > FILTERS_MAX:
        raise ValueError(f"{value!r} is not a list of at most {FILTERS_MAX} patterns")
    patterns: list[Fields] = []
    for number, text in enumerate(value, 1):
        if not isinstance(text, str):
            raise ValueError(f"pattern {number} is not a string of JSON")  # noqa: TRY004 - as above
        try:
            patterns.append(pattern_from(text))
        except PatternError as error:
            raise ValueError(f"pattern {number}: {error}") from error
    return tuple(patterns)


def _destination(value: Any) -> Destination:
    if isinstance(value, str):
        if value.startswith(("http://", "https://")):
            return _endpoint(value)
        if _FUNCTION.fullmatch(value):
            return _function(value)
    raise ValueError(f"{value!r} is neither http://… nor module:function")


def _endpoint(url: str) -> HttpEndpoint:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0 and url.isascii() and url.isprintable()
    except ValueError as error:
        raise ValueError(f"{url!r}: {error}") from error
    if not usable or " " in url or parts.username is not None:
        raise ValueError(f"{url!r} is not a URL of host, port and path")
    return HttpEndpoint(url)


def _function(name: str) -> Function:
    module, _, attribute = name.partition(":")
    try:
        function = getattr(import_module(module), attribute)
    except Exception as error:
        text = " ".join(str(error).split())
        raise ValueError(f"{name} cannot be loaded: {type(error).__name__}: {text}") from error
    if not callable(function) or iscoroutinefunction(function):
        raise ValueError(f"{name} is not a plain function")
    return Function(name, function)


_REQUIRED: Final = object()
_Reader = Callable[[Any], Any]
_KEYS: Final[dict[str, tuple[Any, _Reader]]] = {
    "name": (_REQUIRED, _like(_NAME, "1 to 100 letters, digits, '_', '.' and '-'")),
    "table": (_REQUIRED, _like(_TABLE, "the name of a table")),
    "destination": (_REQUIRED, _destination),
    "batch_size": (100, _whole(1, BATCH_SIZE_MAX)),
    "batch_window_seconds": (0, _whole(0, WINDOW_SECONDS_MAX)),
    "starting_position": (_REQUIRED, _starting_position),
    "filters": ((), _filters),
    "retries": (ENDLESS, _whole(0, RETRIES_MAX, endless=True)),
    "maximum_age_seconds": (ENDLESS, _whole(AGE_SECONDS_MIN, AGE_SECONDS_MAX, endless=True)),
    "bisect_on_error": (False, _switch),
    "partial_batch_responses": (False, _switch),
    "on_failure": (None, _like(re.compile(r".+"), "the name of a file")),
    "timeout_seconds": (30, _whole(1, SECONDS_MAX)),
}
