"""TagResource, UntagResource and ListTagsOfResource: the tags of a table."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

import msgspec

from hashrange.access.policies.service_keys import tag_keys_of
from hashrange.api.dynamodb.streams.specification import no_such_arn
from hashrange.api.steps.accesses import Access, on_tables
from hashrange.api.steps.operation import (
    AnyOperation,
    Operation,
    Outcome,
    RequestContext,
    TableMode,
)
from hashrange.api.steps.permissions import Asked, Permission
from hashrange.errors import DynamoError, invalid
from hashrange.limits.tables import (
    TAG_KEY_CHARS_MAX,
    TAG_SET_BYTES_MAX,
    TAG_VALUE_CHARS_MAX,
    TAGS_MAX,
)
from hashrange.messages import wire as wire_messages
from hashrange.messages.tables import operations as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    ListTagsOfResource,
    ListTagsOfResourceAnswer,
    Tag,
    TagResource,
    UntagResource,
)
from hashrange.model.table import Table
from hashrange.wire.arns import table_of_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import (
    LIST_TAGS_OF_RESOURCE_ROWS,
    TAG_RESOURCE_ROWS,
    UNTAG_RESOURCE_ROWS,
)
from hashrange.wire.rules import Form

R = TypeVar("R")

_PUNCTUATION: Final = frozenset("_.:/=+-@")
_CATEGORIES: Final = frozenset("LNZ")
"""Unicode categories of letters, numbers and separators. Source: users, October 2026."""
_RESERVED: Final = "aws:"


class TagChange(msgspec.Struct, frozen=True):
    """Tags to set on a table, and keys of tags to remove."""

    arn: str
    table: str
    set: dict[str, str] = {}
    removed: Sequence[str] = ()

    @property
    def table_names(self) -> tuple[str]:
        """The ARN, as sent."""
        return (self.arn,)


class CheckedListTags(msgspec.Struct, frozen=True):
    """A checked ListTagsOfResource."""

    arn: str

    @property
    def table_names(self) -> tuple[str]:
        """The ARN, as sent."""
        return (self.arn,)


def checked_tags(tags: Sequence[Tag]) -> dict[str, str]:
    """Tags as the catalog stores them. Raises ValidationException."""
    if len(tags) > TAGS_MAX:
        raise invalid(messages.too_many())
    found: dict[str, str] = {}
    for tag in tags:
        key, value = _checked_key(tag.key), tag.value
        if value is None or len(value) > TAG_VALUE_CHARS_MAX or not _is_plain(value):
            raise invalid(messages.value_invalid(value))
        if key in found:
            raise invalid(messages.key_repeated(key))
        found[key] = value
    _check_set(found)
    return found


def _checked_key(key: str | None) -> str:
    if not key or len(key) > TAG_KEY_CHARS_MAX or not _is_plain(key):
        raise invalid(messages.key_invalid(key))
    if key[: len(_RESERVED)].lower() == _RESERVED:
        raise invalid(messages.key_reserved(key))
    return key


def _is_plain(text: str) -> bool:
    """Whether a key or a value has only permitted characters."""
    return all(
        character in _PUNCTUATION or unicodedata.category(character)[0] in _CATEGORIES
        for character in text
    )


def _check_set(tags: dict[str, str]) -> None:
    """Refuse too many or too large tags of a resource. Raises ValidationException."""
    if len(tags) > TAGS_MAX:
        raise invalid(messages.too_many())
    size = sum(len(text.encode()) for pair in tags.items() for text in pair)
    if size > TAG_SET_BYTES_MAX:
        raise invalid(messages.too_large(size, TAG_SET_BYTES_MAX))


def check_tag(request: TagResource) -> TagChange:
    """Refuse invalid members and tags."""
    check_constraints(request, TAG_RESOURCE_ROWS, Form.MODEL)
    if not request.tags:
        raise invalid(messages.no_tags())
    arn = str(request.resource_arn)
    return TagChange(arn, table_of_arn(arn), set=checked_tags(request.tags))


def check_untag(request: UntagResource) -> TagChange:
    """Refuse invalid members and keys."""
    check_constraints(request, UNTAG_RESOURCE_ROWS, Form.MODEL)
    if not request.tag_keys:
        raise invalid(messages.no_tag_keys())
    if len(request.tag_keys) > TAGS_MAX:
        raise invalid(messages.too_many())
    arn, keys = str(request.resource_arn), [_checked_key(key) for key in request.tag_keys]
    return TagChange(arn, table_of_arn(arn), removed=keys)


def check_list(request: ListTagsOfResource) -> CheckedListTags:
    """Refuse invalid members."""
    check_constraints(request, LIST_TAGS_OF_RESOURCE_ROWS, Form.MODEL)
    arn = str(request.resource_arn)
    table_of_arn(arn)
    return CheckedListTags(arn)


def fit_list(_checked: CheckedListTags, table: Table) -> Table:
    """The definition of the table."""
    return table


async def run_change(tag_change: TagChange, context: RequestContext) -> Outcome:
    """Change the tags, for TagResource and UntagResource; the body of the answer is empty."""

    def change(table: Table) -> Table:
        tags = {**table.tags, **tag_change.set}
        for key in tag_change.removed:
            tags.pop(key, None)
        _check_set(tags)
        return msgspec.structs.replace(table, tags=tags)

    await context.catalog.change(tag_change.table, change)
    return Outcome(None)


async def run_list(table: Table, _context: RequestContext) -> Outcome:
    """List all tags in the order of their keys."""
    return Outcome(
        ListTagsOfResourceAnswer(
            [Tag(key=key, value=table.tags[key]) for key in sorted(table.tags)]
        )
    )


class Tagged(Protocol):
    """A checked request for a resource that may get tags."""

    @property
    def tags(self) -> Mapping[str, str]:
        """The tags."""


T = TypeVar("T", bound=Tagged)


def with_tags(
    accesses: Callable[[T], Iterable[Access]],
) -> Callable[[T, object, Asked], Iterable[Permission]]:
    """The permissions of an operation that makes a resource: its accesses, with the tags."""

    def permissions(checked: T, _plan: object, _asked: Asked) -> Iterable[Permission]:
        context = tag_keys_of(checked.tags)
        return [Permission(access, context) for access in accesses(checked)]

    return permissions


def _in_other_region(arn: str) -> DynamoError:
    return invalid(wire_messages.invalid_resource_arn(arn))


def _operation(name: str, request: type[R], check: Callable[[R], TagChange]) -> AnyOperation:
    accesses = on_tables(name)

    def permissions(checked: TagChange, _plan: object, _asked: Asked) -> Iterable[Permission]:
        context = tag_keys_of(checked.set, tuple(checked.removed))
        return [Permission(access, context) for access in accesses(checked)]

    return Operation(
        facts=OPERATION_FACTS[name],
        request=request,
        check=check,
        accesses=accesses,
        permissions=permissions,
        tables=TableMode.DEFINITION,
        not_found=no_such_arn,
        elsewhere=_in_other_region,
        run=run_change,
    )


TAG_RESOURCE: Final = _operation("TagResource", TagResource, check_tag)
UNTAG_RESOURCE: Final = _operation("UntagResource", UntagResource, check_untag)
LIST_TAGS_OF_RESOURCE: Final = Operation(
    facts=OPERATION_FACTS["ListTagsOfResource"],
    request=ListTagsOfResource,
    check=check_list,
    accesses=on_tables("ListTagsOfResource"),
    tables=TableMode.DEFINITION,
    not_found=no_such_arn,
    elsewhere=_in_other_region,
    fit=fit_list,
    run=run_list,
)
