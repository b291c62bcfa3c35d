"""Parameters of forms as the members of requests: from texts to the types of the model. Pure."""

import re
from datetime import UTC, datetime
from typing import Any, Final, assert_never

from hashrange.errors import ApiError
from hashrange.messages import identities as messages
from hashrange.model.structures.members import INTEGER_MAX, LONG_MAX
from hashrange.wire.echo import lower_first
from hashrange.wire.forms import Tree
from hashrange.wire.member_types import ListOf, MapOf, MemberType, Scalar, Structure

_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False}
_is_integer: Final = re.compile(r"[+-]?[0-9]{1,64}", re.ASCII).fullmatch
_is_number: Final = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,6})?|NaN|[+-]?Infinity", re.ASCII
).fullmatch
_is_date: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?",
    re.ASCII,
).fullmatch
_ENTRY: Final = "entry"
_MICROSECONDS: Final = 6


def converted(value: Tree, kind: MemberType, path: str, *, is_partial: bool) -> Any:
    """A parameter as its type has it. Raises ApiError.

    Args:
        value: the parameter.
        kind: its type.
        path: its name in errors.
        is_partial: structures may lack members, and have others, which are ignored.
    """
    match kind:
        case ListOf(element=element):
            if value == "":  # as SDKs send an empty list
                return []
            if not isinstance(value, list):
                raise _invalid(path)
            return [
                converted(each, element, f"{path}.{number}.member", is_partial=is_partial)
                for number, each in enumerate(value, 1)
            ]
        case Structure(members=members):
            if not isinstance(value, dict) or (value.keys() != members.keys() and not is_partial):
                raise _invalid(path)
            return {
                name: converted(
                    value[name], inner, f"{path}.{lower_first(name)}", is_partial=is_partial
                )
                for name, inner in members.items()
                if name in value
            }
        case MapOf(value=inner):
            return {
                name: converted(each, inner, path, is_partial=is_partial)
                for name, each in _entries(value, path)
            }
        case Scalar():
            if not isinstance(value, str):
                raise _invalid(path)
            return _scalar(value, kind, path)
        case _:
            assert_never(kind)


def _entries(value: Tree, path: str) -> list[tuple[str, Tree]]:
    """The keys and values of a map: `entry.1.key=k&entry.1.value=v`."""
    if value == "":
        return []
    entries = value.get(_ENTRY) if isinstance(value, dict) else None
    if not isinstance(entries, dict):
        raise _invalid(path)
    found: list[tuple[str, Tree]] = []
    for each in entries.values():
        if not isinstance(each, dict) or each.keys() != {"key", "value"}:
            raise _invalid(path)
        key = each["key"]
        if not isinstance(key, str):
            raise _invalid(path)
        found.append((key, each["value"]))
    return found


def _scalar(value: str, kind: Scalar, path: str) -> Any:
    match kind:
        case Scalar.INTEGER:
            return _integer(value, path, INTEGER_MAX)
        case Scalar.LONG:
            return _integer(value, path, LONG_MAX)
        case Scalar.DOUBLE:
            if _is_number(value) is None:
                raise _malformed(path)
            return float(value)
        case Scalar.DATE:
            return _seconds(value, path)
        case Scalar.BOOLEAN:
            if value not in _FLAGS:
                raise _malformed(path)
            return _FLAGS[value]
        case _:
            assert kind is Scalar.STRING, "no request has another type"
            return value


def _integer(value: str, path: str, most: int) -> int:
    if _is_integer(value) is None:
        raise _malformed(path)
    number = int(value)
    if not -most - 1 <= number <= most:
        raise _malformed(path)
    return number


def _seconds(value: str, path: str) -> float:
    """Seconds since the epoch; a time without a zone is in UTC."""
    found = _is_date(value)
    if found is None:
        raise _malformed(path)
    try:
        # Python reads no more than six digits of a second.
        digits = found[1] or ""
        at = datetime.fromisoformat(value.replace(digits, digits[: _MICROSECONDS + 1]))
    except ValueError:
        raise _malformed(path) from None
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()


def _malformed(path: str) -> ApiError:
    return ApiError("MalformedInput", messages.value_invalid(path))


def _invalid(path: str) -> ApiError:
    return ApiError("ValidationError", messages.value_invalid(path))
