"""The members of requests: their types and constraints, by name, as in the API's models. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.iam.errors import Code, QueryError, invalid
from hashrange.iam.forms import Tree
from hashrange.limits.identities import (
    ROLE_SESSION_SECONDS_MAX,
    SESSION_POLICIES_MAX,
    SESSION_SECONDS_MIN,
    USER_SESSION_SECONDS_MAX,
)
from hashrange.limits.policies import SESSION_POLICY_CHARS_MAX
from hashrange.limits.tables import TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX, TAGS_MAX
from hashrange.messages import identities as messages
from hashrange.messages.requests import constraints as texts

Parameters: TypeAlias = Mapping[str, Any]
"""The checked members of a request, by name; those that were not sent are absent."""
_Read: TypeAlias = Callable[[str, Tree], Any]

_ITEMS_MAX: Final = 1_000
_INT: Final = range(-(2**31), 2**31)
_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False}
_is_number: Final = re.compile(r"[+-]?[0-9]{1,64}", re.ASCII).fullmatch
_is_name: Final = re.compile(r"[A-Za-z0-9_+=,.@-]+").fullmatch
_is_path: Final = re.compile(r"/|/[!-~]+/").fullmatch
_is_prefix: Final = re.compile(r"/[!-~]*").fullmatch
_is_tag: Final = re.compile(
    r"[\w .:/=+\-@\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*"
).fullmatch
_is_description: Final = re.compile("[\t\n\r -~\u00a1-\u00ff]*").fullmatch
_is_document: Final = re.compile("[\t\n\r -\u00ff]+").fullmatch
# By what is not in it, which takes a tenth of the time to compile.
_is_arn: Final = re.compile(
    "[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]+"
).fullmatch
_is_key: Final = re.compile(r"\w+", re.ASCII).fullmatch
_is_version: Final = re.compile(r"v[1-9][0-9]*(\.[A-Za-z0-9-]*)?").fullmatch
_is_external: Final = re.compile(r"[\w+=,.@:/-]*", re.ASCII).fullmatch
_is_any: Final = re.compile("(?s).*").fullmatch


class _Text(msgspec.Struct, frozen=True):
    """A text: its lengths, its characters, and the text of the error if they are others."""

    least: int
    most: int
    fits: Callable[[str], object]
    refuse: Callable[[str], str] = messages.value_invalid
    pattern: str | None = None
    """Of the API's model, for the text of the error; `refuse` has the text if there is none."""
    is_echoed: bool = False
    """The text of the error has the value, as STS does it."""

    def __call__(self, member: str, value: Tree) -> str:
        if not isinstance(value, str):
            raise _not_a_text(member)
        if len(value) < self.least:
            raise self._violation(member, value, texts.length_at_least(self.least))
        if len(value) > self.most:
            raise self._violation(member, value, texts.length_at_most(self.most))
        if not self.fits(value):
            if self.pattern is None:
                raise invalid(self.refuse(member))
            raise self._violation(member, value, texts.pattern(self.pattern))
        return value

    def _violation(self, member: str, value: str, constraint: str) -> QueryError:
        if self.is_echoed:
            return _constraint(texts.value_echoed(value, member, constraint))
        return _constraint(texts.value_unechoed(member, constraint))


class _Keys(msgspec.Struct, frozen=True):
    """A list of texts, whose violations do not tell the element."""

    key: _Text
    most: int

    def __call__(self, member: str, value: Tree) -> list[Any]:
        keys = _List(_any_text, self.most)(member, value)
        for key in keys:
            try:
                self.key(member, key)
            except QueryError as error:
                raise _constraint(texts.value_unechoed(member, self._constraints())) from error
        return keys

    def _constraints(self) -> str:
        assert self.key.pattern is not None, "keys have one"
        return texts.list_member(
            [
                texts.length_at_most(self.key.most),
                texts.length_at_least(self.key.least),
                texts.pattern(self.key.pattern),
                texts.not_null(),
            ]
        )


class _Number(msgspec.Struct, frozen=True):
    """A number and its bounds."""

    least: int
    most: int

    def __call__(self, member: str, value: Tree) -> int:
        if not isinstance(value, str) or _is_number(value) is None:
            raise _malformed(member)
        number = int(value)
        if number not in _INT:
            raise _malformed(member)
        for holds, constraint in (
            (number >= self.least, texts.value_at_least(self.least)),
            (number <= self.most, texts.value_at_most(self.most)),
        ):
            if not holds:
                raise _constraint(texts.value_echoed(str(number), member, constraint))
        return number


class _Choice(msgspec.Struct, frozen=True):
    """One of some texts."""

    choices: tuple[str, ...]

    def __call__(self, member: str, value: Tree) -> str:
        if not isinstance(value, str):
            raise _not_a_text(member)
        if value not in self.choices:
            text = texts.value_echoed(value, member, texts.enum_value_set(self.choices))
            raise _constraint(text)
        return value


class _List(msgspec.Struct, frozen=True):
    """A list of such members."""

    read: _Read
    most: int = _ITEMS_MAX

    def __call__(self, member: str, value: Tree) -> list[Any]:
        if value == "":  # as SDKs send an empty list
            return []
        if not isinstance(value, list):
            raise invalid(messages.value_invalid(member))
        if len(value) > self.most:
            raise _constraint(texts.value_unechoed(member, texts.length_at_most(self.most)))
        return [self.read(f"{member}.{place}.member", each) for place, each in enumerate(value, 1)]


class _Structure(msgspec.Struct, frozen=True):
    """A structure; all members are required."""

    members: Mapping[str, _Read]

    def __call__(self, member: str, value: Tree) -> dict[str, Any]:
        if not isinstance(value, dict) or value.keys() != self.members.keys():
            raise invalid(messages.value_invalid(member))
        return {
            name: read(f"{member}.{_lower(name)}", value[name])
            for name, read in self.members.items()
        }


def _flag(member: str, value: Tree) -> bool:
    if not isinstance(value, str) or value not in _FLAGS:
        raise _malformed(member)
    return _FLAGS[value]


def _any_text(member: str, value: Tree) -> str:
    if not isinstance(value, str):
        raise _not_a_text(member)
    return value


def _name(most: int, least: int = 1) -> _Text:
    return _Text(least, most, _is_name, messages.name_invalid)


def _name_of_session(most: int) -> _Text:
    return _Text(2, most, _is_name, pattern=r"[\w+=,.@-]*", is_echoed=True)


_ARN: Final = _Text(20, 2048, _is_arn)
_DOCUMENT: Final = _Text(1, 131_072, _is_document)
_PATH: Final = _Text(1, 512, _is_path, messages.path_invalid)
_PREFIX: Final = _Text(1, 512, _is_prefix, messages.path_invalid)
_TAG_CHARS: Final = r"[\p{L}\p{Z}\p{N}_.:/=+\-@]"
_TAG_KEY: Final = _Text(1, TAG_KEY_CHARS_MAX, _is_tag, pattern=f"{_TAG_CHARS}+")
_TAG_VALUE: Final = _Text(0, TAG_VALUE_CHARS_MAX, _is_tag, pattern=f"{_TAG_CHARS}*")
_TAG: Final = _Structure({"Key": _TAG_KEY, "Value": _TAG_VALUE})
_VERSION: Final = _Text(1, 32, _is_version, pattern=r"v[1-9][0-9]*(\.[A-Za-z0-9-]*)?")
_CONTEXT_TYPES: Final = (
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
_CONTEXT_ENTRY: Final = _Structure(
    {
        "ContextKeyName": _Text(5, 256, _is_any),
        "ContextKeyValues": _List(_Text(0, 2048, _is_any)),
        "ContextKeyType": _Choice(_CONTEXT_TYPES),
    }
)

_MEMBERS: Final[Mapping[str, _Read]] = {
    "AccessKeyId": _Text(16, 128, _is_key),
    "ActionNames": _List(_Text(3, 128, _is_any)),
    "AssumeRolePolicyDocument": _DOCUMENT,
    "AssignmentStatus": _Choice(("Assigned", "Unassigned", "Any")),
    "CallerArn": _ARN,
    "ContextEntries": _List(_CONTEXT_ENTRY),
    "Description": _Text(0, 1000, _is_description),
    "EncodedMessage": _Text(1, 10_240, _is_any),
    "EntityFilter": _Choice(("User", "Role", "Group", "LocalManagedPolicy", "AWSManagedPolicy")),
    "ExternalId": _Text(2, 1224, _is_external, pattern=r"[\w+=,.@:\/-]*", is_echoed=True),
    "Marker": _Text(1, 320, _is_any),
    "MaxItems": _Number(1, _ITEMS_MAX),
    "MaxSessionDuration": _Number(3600, ROLE_SESSION_SECONDS_MAX),
    "Name": _name_of_session(32),
    "NewPath": _PATH,
    "NewUserName": _name(64),
    "OnlyAttached": _flag,
    "Path": _PATH,
    "PathPrefix": _PREFIX,
    "PermissionsBoundary": _ARN,
    "PermissionsBoundaryPolicyInputList": _List(_DOCUMENT),
    "Policy": _Text(1, SESSION_POLICY_CHARS_MAX, _is_document, is_echoed=True),
    "PolicyArn": _ARN,
    "PolicyArns": _List(_Structure({"arn": _ARN}), SESSION_POLICIES_MAX),
    "PolicyDocument": _DOCUMENT,
    "PolicyInputList": _List(_DOCUMENT),
    "PolicyName": _name(128),
    "PolicySourceArn": _ARN,
    "PolicyUsageFilter": _Choice(("PermissionsPolicy", "PermissionsBoundary")),
    "ResourceArns": _List(_Text(1, 2048, _is_any)),
    "ResourceOwner": _Text(1, 2048, _is_any),
    "ResourcePolicy": _DOCUMENT,
    "RoleArn": _Text(20, 2048, _is_arn, is_echoed=True),
    "RoleName": _name(64),
    "RoleSessionName": _name_of_session(64),
    "Scope": _Choice(("All", "AWS", "Local")),
    "SetAsDefault": _flag,
    "SourceIdentity": _name_of_session(64),
    "Status": _Choice(("Active", "Inactive")),
    "TagKeys": _Keys(_TAG_KEY, TAGS_MAX),
    "Tags": _List(_TAG, TAGS_MAX),
    "TransitiveTagKeys": _List(_TAG_KEY, TAGS_MAX),
    "UserName": _name(128),
    "VersionId": _VERSION,
}
_DURATIONS: Final = {
    "AssumeRole": _Number(SESSION_SECONDS_MIN, ROLE_SESSION_SECONDS_MAX),
    "GetFederationToken": _Number(SESSION_SECONDS_MIN, USER_SESSION_SECONDS_MAX),
    "GetSessionToken": _Number(SESSION_SECONDS_MIN, USER_SESSION_SECONDS_MAX),
}
_NEW_USER: Final = _name(64)
_PROTOCOL: Final = {"Action", "Version"}


def checked(
    operation: str,
    tree: Mapping[str, Tree],
    *,
    required: Iterable[str],
    optional: Iterable[str],
) -> Parameters:
    """The members of a request. Raises QueryError: the first that is wrong.

    Args:
        operation: its name.
        tree: the members as sent.
        required: names of members that must be there.
        optional: names of members that may be there.
    """
    required = tuple(required)
    missing = [name for name in required if name not in tree]
    if missing:
        found = [texts.value_null(_lower(name), texts.not_null()) for name in missing]
        raise invalid(texts.envelope(found))
    known = {*required, *optional}
    for name in tree:
        if name not in known and name not in _PROTOCOL:
            raise QueryError(Code.INVALID_INPUT, messages.not_supported(name))
    return {
        name: _reader(operation, name)(_lower(name), value)
        for name, value in tree.items()
        if name in known
    }


def _reader(operation: str, name: str) -> _Read:
    if name == "DurationSeconds":
        return _DURATIONS[operation]
    if name == "UserName" and operation == "CreateUser":
        return _NEW_USER
    return _MEMBERS[name]


def _lower(name: str) -> str:
    """The name of a member as texts of errors have it."""
    return name[:1].lower() + name[1:]


def _malformed(member: str) -> QueryError:
    return QueryError(Code.MALFORMED_INPUT, messages.value_invalid(member))


def _not_a_text(member: str) -> QueryError:
    return invalid(messages.value_invalid(member))


def _constraint(text: str) -> QueryError:
    return invalid(texts.envelope([text]))
