"""Forms of the query protocol: from bytes to nested parameters. Pure.

`Tags.member.1.Key=a` is the member Key of the first element of the list Tags. Source: the AWS
query protocol of Smithy.
"""

from typing import Final, TypeAlias
from urllib.parse import parse_qsl

import msgspec

from hashrange.errors import ApiError
from hashrange.limits.access import (
    FORM_BYTES_MAX,
    FORM_FIELDS_MAX,
    FORM_LEVELS_MAX,
    FORM_LIST_MAX,
)
from hashrange.messages import identities as messages

Tree: TypeAlias = "str | list[Tree] | dict[str, Tree]"
_MEMBER: Final = "member"
_INDEX_CHARS_MAX: Final = 6
_GAP_MAX: Final = 10


class FormBounds(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of a form: bytes, fields, parts of the name of a field, elements of a list."""

    bytes_max: int
    fields_max: int
    levels_max: int
    list_max: int


IDENTITY_FORMS: Final = FormBounds(
    bytes_max=FORM_BYTES_MAX,
    fields_max=FORM_FIELDS_MAX,
    levels_max=FORM_LEVELS_MAX,
    list_max=FORM_LIST_MAX,
)
"""Of IAM and STS."""


def parameters(body: bytes, bounds: FormBounds = IDENTITY_FORMS) -> dict[str, Tree]:
    """The parameters of a request, nested. Raises ApiError."""
    if len(body) > bounds.bytes_max:
        raise _refused(f"it has more than {bounds.bytes_max} bytes")
    try:
        fields = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=bounds.fields_max,
        )
    except UnicodeError as error:
        raise _refused("it is not UTF-8") from error
    except ValueError as error:
        raise _refused(f"it has more than {bounds.fields_max} fields") from error
    root: dict[str, Tree] = {}
    for name, value in fields:
        _place(root, name, value, bounds.levels_max)
    return {name: _with_lists(tree, bounds.list_max) for name, tree in root.items()}


def _place(root: dict[str, Tree], name: str, value: str, levels_max: int) -> None:
    parts = name.split(".", levels_max)
    if len(parts) > levels_max:
        raise _refused(f"the name of a field has more than {levels_max} parts")
    at = root
    for part in parts[:-1]:
        below = at.setdefault(part, {})
        if not isinstance(below, dict):
            raise _refused(f"{name} is below a value")
        at = below
    if parts[-1] in at:
        raise _refused(f"{name} is there twice")
    at[parts[-1]] = value


def _with_lists(tree: Tree, list_max: int) -> Tree:
    """The tree with lists in the place of `member` and numbers."""
    if not isinstance(tree, dict):
        return tree
    if tree.keys() == {_MEMBER} and isinstance(tree[_MEMBER], dict):
        numbered = tree[_MEMBER]
        assert isinstance(numbered, dict), "asked above"
        return [_with_lists(numbered[key], list_max) for key in _in_order(numbered, list_max)]
    return {name: _with_lists(below, list_max) for name, below in tree.items()}


def _in_order(numbered: dict[str, Tree], list_max: int) -> list[str]:
    """The keys of a list; they are numbers from 1, without gaps, as all SDKs send them."""
    for key in numbered:
        if key.startswith("-"):
            raise _malformed(messages.index_negative(key))
        if not (key.isascii() and key.isdecimal() and len(key) < _INDEX_CHARS_MAX):
            raise _malformed(messages.list_expected())
        if not int(key):
            raise _malformed(messages.index_invalid(key))
    keys = sorted(numbered, key=int)
    last = 1
    for index in map(int, keys):
        if index - last > _GAP_MAX:
            raise _malformed(messages.list_sparse(index - last))
        last = index
    if [int(key) for key in keys] != list(range(1, len(keys) + 1)):
        raise _refused("the members of a list are not numbered from 1")
    if len(keys) > list_max:
        raise _refused(f"a list has more than {list_max} members")
    return keys


def _malformed(message: str) -> ApiError:
    return ApiError("MalformedInput", message)


def _refused(reason: str) -> ApiError:
    return ApiError("MalformedQueryString", messages.form_malformed(reason))
