"""The requests of IAM and STS, with the constraints of the API's models.

A member has the same constraints in all operations that have it, with few exceptions.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.limits.access import (
    ROLE_SESSION_SECONDS_MAX,
    SESSION_POLICIES_MAX,
    SESSION_POLICY_CHARS_MAX,
    SESSION_SECONDS_MIN,
    USER_SESSION_SECONDS_MAX,
)
from hashrange.limits.tables import TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX, TAGS_MAX
from hashrange.messages import identities as messages
from hashrange.model.structures.members import Integer
from hashrange.wire.constraints import between, each, length, matches, one_of, required, rows
from hashrange.wire.enums import EnumSet
from hashrange.wire.rules import ITSELF, Form, Length, ListMembers, Pattern, Row, Rows

_RowsOf: TypeAlias = Callable[[str], tuple[Row, ...]]
"""The rows of a member by the name of its attribute."""
_Member: TypeAlias = tuple[Any, _RowsOf]

_ITEMS_MAX: Final = 1_000
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME: Final = r"[A-Za-z0-9_+=,.@-]+"
_PATH: Final = r"/|/[!-~]+/"
_ARN: Final = "[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]+"
"""By what is not in it, which takes a tenth of the time to compile."""
_DOCUMENT: Final = "[\t\n\r -\u00ff]+"
_DESCRIPTION: Final = "[\t\n\r -~\u00a1-\u00ff]*"
_TAG_CHARS: Final = r"[\p{L}\p{Z}\p{N}_.:/=+\-@]"
_TAG_CHARS_IN_PYTHON: Final = (
    r"(?u:[\w .:/=+\-@\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])*"
)


class Tag(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A tag in a request."""

    key: str
    value: str


class ContextEntry(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A condition key of a simulation, with its values."""

    context_key_name: str
    context_key_values: list[str]
    context_key_type: str


class PolicyDescriptor(msgspec.Struct, frozen=True, kw_only=True):
    """A managed policy of a session."""

    arn: str


def _text(
    least: int,
    most: int,
    characters: str | None = None,
    refusal: Callable[[str], str] = messages.value_invalid,
    *,
    form: Form | None = None,
) -> _Member:
    """A text whose characters, if they are others, have a text of their own."""

    def found(name: str) -> Iterator[Row]:
        yield length(name, least, most, form=form)
        if characters is not None:
            yield matches(name, characters, refusal=refusal)

    return str, lambda name: tuple(found(name))


def _pattern(
    least: int, most: int, expression: str, linear: str | None = None, *, form: Form | None = None
) -> _Member:
    """A text whose violations name the pattern of the model."""

    def found(name: str) -> tuple[Row, ...]:
        bounds = length(name, least, most, form=form)
        return bounds, matches(name, expression, linear=linear, form=form)

    return str, found


def _number(least: int, most: int) -> _Member:
    return Integer, lambda name: (between(name, least, most, form=Form.MODEL),)


def _choice(*values: str) -> _Member:
    enum = EnumSet(frozenset(values), values, values)
    return str, lambda name: (one_of(name, enum, form=Form.MODEL),)


def _list(element: _Member, most: int = _ITEMS_MAX) -> _Member:
    kind, rows_of = element
    return list[kind], lambda name: (length(name, None, most), each(name, *rows_of(ITSELF)))  # type: ignore[valid-type]


def _structures(type_: type, most: int, **members: _Member) -> _Member:
    """A list of structures, with the rows of their members."""
    found = [row for name, (_, rows_of) in members.items() for row in rows_of(name)]
    return list[type_], lambda name: (length(name, None, most), each(name, *found))  # type: ignore[valid-type]


def _keys(most: int) -> _Member:
    """A list of keys of tags, whose violations do not name the element."""
    pattern = Pattern(f"{_TAG_CHARS}+", _TAG_CHARS_IN_PYTHON)
    rule = ListMembers((Length(1, TAG_KEY_CHARS_MAX), pattern))
    return list[str], lambda name: (length(name, None, most), Row(name, rule))


def _flag(_name: str) -> tuple[Row, ...]:
    return ()


def _session_name(most: int) -> _Member:
    return _pattern(2, most, r"[\w+=,.@-]*", _NAME, form=Form.MODEL)


_NAME_64: Final = _text(1, 64, _NAME, messages.name_invalid)
_NAME_128: Final = _text(1, 128, _NAME, messages.name_invalid)
_PATH_TEXT: Final = _text(1, 512, _PATH, messages.path_invalid)
_ARN_TEXT: Final = _text(20, 2048, _ARN)
_DOCUMENT_TEXT: Final = _text(1, 131_072, _DOCUMENT)
_KEY: Final = _pattern(1, TAG_KEY_CHARS_MAX, f"{_TAG_CHARS}+", _TAG_CHARS_IN_PYTHON)
_VALUE: Final = _pattern(0, TAG_VALUE_CHARS_MAX, f"{_TAG_CHARS}*", _TAG_CHARS_IN_PYTHON)
_CONTEXT_TYPE: Final = _choice(
    "string",
    "stringList",
    "numeric",
    "numericList",
    "boolean",
    "booleanList",
    "ip",
    "ipList",
    "binary",
    "binaryList",
    "date",
    "dateList",
)

_MEMBERS: Final[Mapping[str, _Member]] = {
    "AccessKeyId": _text(16, 128, r"\w+"),
    "ActionNames": _list(_text(3, 128)),
    "AssumeRolePolicyDocument": _DOCUMENT_TEXT,
    "AssignmentStatus": _choice("Assigned", "Unassigned", "Any"),
    "CallerArn": _ARN_TEXT,
    "ContextEntries": _structures(
        ContextEntry,
        _ITEMS_MAX,
        context_key_name=_text(5, 256),
        context_key_values=_list(_text(0, 2048)),
        context_key_type=_CONTEXT_TYPE,
    ),
    "Description": _text(0, 1000, _DESCRIPTION),
    "DurationSeconds": _number(SESSION_SECONDS_MIN, USER_SESSION_SECONDS_MAX),
    "EncodedMessage": _text(1, 10_240),
    "EntityFilter": _choice("User", "Role", "Group", "LocalManagedPolicy", "AWSManagedPolicy"),
    "ExternalId": _pattern(2, 1224, r"[\w+=,.@:\/-]*", r"[\w+=,.@:/-]*", form=Form.MODEL),
    "Marker": _text(1, 320),
    "MaxItems": _number(1, _ITEMS_MAX),
    "MaxSessionDuration": _number(3600, ROLE_SESSION_SECONDS_MAX),
    "Name": _session_name(32),
    "NewPath": _PATH_TEXT,
    "NewUserName": _NAME_64,
    "OnlyAttached": (bool, _flag),
    "Path": _PATH_TEXT,
    "PathPrefix": _text(1, 512, r"/[!-~]*", messages.path_invalid),
    "PermissionsBoundary": _ARN_TEXT,
    "PermissionsBoundaryPolicyInputList": _list(_DOCUMENT_TEXT),
    "Policy": _text(1, SESSION_POLICY_CHARS_MAX, _DOCUMENT, form=Form.MODEL),
    "PolicyArn": _ARN_TEXT,
    "PolicyArns": _structures(PolicyDescriptor, SESSION_POLICIES_MAX, arn=_ARN_TEXT),
    "PolicyDocument": _DOCUMENT_TEXT,
    "PolicyInputList": _list(_DOCUMENT_TEXT),
    "PolicyName": _NAME_128,
    "PolicySourceArn": _ARN_TEXT,
    "PolicyUsageFilter": _choice("PermissionsPolicy", "PermissionsBoundary"),
    "ResourceArns": _list(_text(1, 2048)),
    "ResourceOwner": _text(1, 2048),
    "ResourcePolicy": _DOCUMENT_TEXT,
    "RoleArn": _text(20, 2048, _ARN, form=Form.MODEL),
    "RoleName": _NAME_64,
    "RoleSessionName": _session_name(64),
    "Scope": _choice("All", "AWS", "Local"),
    "SetAsDefault": (bool, _flag),
    "SourceIdentity": _session_name(64),
    "Status": _choice("Active", "Inactive"),
    "TagKeys": _keys(TAGS_MAX),
    "Tags": _structures(Tag, TAGS_MAX, key=_KEY, value=_VALUE),
    "TransitiveTagKeys": _list(_KEY, TAGS_MAX),
    "UserName": _NAME_128,
    "VersionId": _pattern(1, 32, r"v[1-9][0-9]*(\.[A-Za-z0-9-]*)?"),
}
_EXCEPTIONS: Final[Mapping[tuple[str, str], _Member]] = {
    ("AssumeRole", "DurationSeconds"): _number(SESSION_SECONDS_MIN, ROLE_SESSION_SECONDS_MAX),
    ("CreateUser", "UserName"): _NAME_64,
}


def attribute(member: str) -> str:
    """The name of a member in Python."""
    return _WORDS.sub("_", member).lower()


def request_type(
    operation: str, needed: Sequence[str], optional: Sequence[str]
) -> tuple[type[Any], Rows]:
    """The request of an operation, and its constraints.

    Args:
        operation: its name.
        needed: members that must be there.
        optional: members that may be there.
    """
    fields: list[tuple[str, Any, None]] = []
    found = [required(attribute(member)) for member in needed]
    for member in (*needed, *optional):
        kind, rows_of = _EXCEPTIONS.get((operation, member)) or _MEMBERS[member]
        fields.append((attribute(member), kind | None, None))
        found += rows_of(attribute(member))
    renamed = {attribute(member): member for member in (*needed, *optional)}
    request = msgspec.defstruct(operation, fields, frozen=True, kw_only=True, rename=renamed)
    return request, rows(*found)
