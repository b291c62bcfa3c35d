"""TagResource, UntagResource and ListTagsOfResource."""

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from hashrange.errors import invalid
from hashrange.limits import (
    RESOURCE_ARN_CHARS_MAX,
    TAG_KEY_CHARS_MAX,
    TAG_SET_BYTES_MAX,
    TAG_VALUE_CHARS_MAX,
    TAGS_MAX,
)
from hashrange.messages.tables import tags as messages
from hashrange.model.table import Table
from hashrange.operations.pipeline.accesses import on_tables
from hashrange.operations.pipeline.operation import (
    AnyOperation,
    Operation,
    Outcome,
    RequestContext,
    TableMode,
)
from hashrange.operations.streams.constraints import no_such_arn
from hashrange.operations.tables.table_shapes import Tag
from hashrange.wire.arns import table_of_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import length, required, rows
from hashrange.wire.rules import Form

R = TypeVar("R")

_PUNCTUATION: Final = frozenset("_.:/=+-@")
_CATEGORIES: Final = frozenset("LNZ")
"""Of Unicode: letters, numbers and separators. Source: measured by users, October 2026."""
_RESERVED: Final = "aws:"


class TagResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = None
    tags: list[Tag] | None = None


class UntagResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = None
    tag_keys: list[str] | None = None


class ListTagsOfResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it.

    All tags of a resource fit into one answer, so no answer has a NextToken; the service passes
    over one that it did not give. Source: measured by users, October 2026.
    """

    resource_arn: str | None = None
    next_token: str | None = None


_ARN: Final = (required("resource_arn"), length("resource_arn", 1, RESOURCE_ARN_CHARS_MAX))
_TAG_ROWS: Final = rows(*_ARN, required("tags"))
_UNTAG_ROWS: Final = rows(*_ARN, required("tag_keys"))
_LIST_ROWS: Final = rows(*_ARN)


class Tagging(msgspec.Struct, frozen=True):
    """Tags to set and keys to remove of one table."""

    arn: str
    table: str
    set: dict[str, str] = {}
    removed: Sequence[str] = ()

    @property
    def table_names(self) -> tuple[str]:
        """See `accesses.OnTables`."""
        return (self.arn,)


class Listing(msgspec.Struct, frozen=True):
    """A table whose tags are wanted."""

    arn: str

    @property
    def table_names(self) -> tuple[str]:
        """See `accesses.OnTables`."""
        return (self.arn,)


class ListAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to ListTagsOfResource."""

    tags: list[Tag]


def checked_tags(tags: Sequence[Tag]) -> dict[str, str]:
    """Tags as the catalog keeps them. Raises ValidationException."""
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
    """Whether a key or a value has only characters that it may have."""
    return all(
        character in _PUNCTUATION or unicodedata.category(character)[0] in _CATEGORIES
        for character in text
    )


def _check_set(tags: dict[str, str]) -> None:
    """What holds of all tags of a resource together. Raises ValidationException."""
    if len(tags) > TAGS_MAX:
        raise invalid(messages.too_many())
    size = sum(len(text.encode()) for pair in tags.items() for text in pair)
    if size > TAG_SET_BYTES_MAX:
        raise invalid(messages.too_large(size, TAG_SET_BYTES_MAX))


def check_tag(request: TagResource) -> Tagging:
    """See `Operation.check`."""
    check_constraints(request, _TAG_ROWS, Form.MODEL)
    if not request.tags:
        raise invalid(messages.no_tags())
    arn = str(request.resource_arn)
    return Tagging(arn, table_of_arn(arn), set=checked_tags(request.tags))


def check_untag(request: UntagResource) -> Tagging:
    """See `Operation.check`."""
    check_constraints(request, _UNTAG_ROWS, Form.MODEL)
    if not request.tag_keys:
        raise invalid(messages.no_tag_keys())
    if len(request.tag_keys) > TAGS_MAX:
        raise invalid(messages.too_many())
    arn, keys = str(request.resource_arn), [_checked_key(key) for key in request.tag_keys]
    return Tagging(arn, table_of_arn(arn), removed=keys)


def check_list(request: ListTagsOfResource) -> Listing:
    """See `Operation.check`."""
    check_constraints(request, _LIST_ROWS, Form.MODEL)
    arn = str(request.resource_arn)
    table_of_arn(arn)
    return Listing(arn)


def fit_list(_listing: Listing, table: Table) -> Table:
    """See `Operation.fit`."""
    return table


async def run_tagging(tagging: Tagging, context: RequestContext) -> Outcome:
    """Both writers: they answer with an empty body."""

    def change(table: Table) -> Table:
        tags = {**table.tags, **tagging.set}
        for key in tagging.removed:
            tags.pop(key, None)
        _check_set(tags)
        return msgspec.structs.replace(table, tags=tags)

    await context.catalog.change(tagging.table, change)
    return Outcome(None)


async def run_list(table: Table, _context: RequestContext) -> Outcome:
    """All tags, in the order of their keys."""
    return Outcome(ListAnswer([Tag(key=key, value=table.tags[key]) for key in sorted(table.tags)]))


def _tagging(name: str, request: type[R], check: Callable[[R], Tagging]) -> AnyOperation:
    return Operation(
        request=request,
        check=check,
        accesses=on_tables(name),
        tables=TableMode.DEFINITION,
        not_found=no_such_arn,
        run=run_tagging,
    )


TAG_RESOURCE: Final = _tagging("TagResource", TagResource, check_tag)
UNTAG_RESOURCE: Final = _tagging("UntagResource", UntagResource, check_untag)
LIST_TAGS_OF_RESOURCE: Final = Operation(
    request=ListTagsOfResource,
    check=check_list,
    accesses=on_tables("ListTagsOfResource"),
    tables=TableMode.DEFINITION,
    not_found=no_such_arn,
    fit=fit_list,
    run=run_list,
)
