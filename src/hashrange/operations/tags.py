"""TagResource, UntagResource and ListTagsOfResource."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits import RESOURCE_ARN_CHARS_MAX, TAG_KEY_CHARS_MAX, TAGS_MAX, TAGS_PAGE_MAX
from hashrange.messages import tables as messages
from hashrange.model.table import Table
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.operations.table_constraints import TAG
from hashrange.operations.table_shapes import Tag
from hashrange.tables.catalog import Catalog
from hashrange.wire.arns import table_of_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each, length, list_members, required, rows
from hashrange.wire.rules import Form


class TagResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = None
    tags: list[Tag] | None = None


class UntagResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = None
    tag_keys: list[str] | None = None


class ListTagsOfResource(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = None
    next_token: str | None = None


_ARN: Final = (required("resource_arn"), length("resource_arn", 1, RESOURCE_ARN_CHARS_MAX))
_TAG_ROWS: Final = rows(*_ARN, required("tags"), each("tags", *TAG))
_UNTAG_ROWS: Final = rows(
    *_ARN, required("tag_keys"), list_members("tag_keys", least=1, most=TAG_KEY_CHARS_MAX)
)
_LIST_ROWS: Final = rows(*_ARN)


class Tagging(msgspec.Struct, frozen=True):
    """Tags to set and keys to remove of one table; `arn` is as sent, for the refusal."""

    arn: str
    table: str
    set: dict[str, str] = {}
    removed: Sequence[str] = ()


class Listing(msgspec.Struct, frozen=True):
    """A page of a table's tags, those with keys greater than `after`."""

    arn: str
    table: str
    after: str


class ListAnswer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The answer to ListTagsOfResource."""

    # Without default, so that an empty list is answered too.
    tags: list[Tag]
    next_token: str | None = None


def checked_tags(tags: Sequence[Tag]) -> dict[str, str]:
    """Tags as the catalog keeps them. Raises ValidationException."""
    if len(tags) > TAGS_MAX:
        raise invalid(messages.too_many_tags())
    found: dict[str, str] = {}
    for tag in tags:
        key = str(tag.key)
        if key.startswith("aws:"):
            raise invalid(messages.reserved_tag_key(key))
        if key in found:
            raise invalid(messages.duplicate_tags(key))
        found[key] = str(tag.value)
    return found


def check_tag(request: TagResource) -> Tagging:
    """See `TableOperation.check`."""
    check_constraints(request, _TAG_ROWS, Form.MODEL)
    if not request.tags:
        raise invalid(messages.no_tags())
    arn = str(request.resource_arn)
    return Tagging(arn, table_of_arn(arn), set=checked_tags(request.tags))


def check_untag(request: UntagResource) -> Tagging:
    """See `TableOperation.check`."""
    check_constraints(request, _UNTAG_ROWS, Form.MODEL)
    if not request.tag_keys:
        raise invalid(messages.no_tag_keys())
    arn = str(request.resource_arn)
    return Tagging(arn, table_of_arn(arn), removed=request.tag_keys)


def check_list(request: ListTagsOfResource) -> Listing:
    """See `TableOperation.check`."""
    check_constraints(request, _LIST_ROWS, Form.MODEL)
    arn = str(request.resource_arn)
    return Listing(arn, table_of_arn(arn), _after(request.next_token))


async def run_tagging(tagging: Tagging, catalog: Catalog, _moment: Moment) -> Outcome:
    """Both writers: they answer with an empty body."""

    def change(table: Table) -> Table:
        tags = {**table.tags, **tagging.set}
        for key in tagging.removed:
            tags.pop(key, None)
        if len(tags) > TAGS_MAX:
            raise invalid(messages.too_many_tags())
        return msgspec.structs.replace(table, tags=tags)

    if await catalog.open(tagging.table) is None:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.arn_not_found(tagging.arn))
    await catalog.change(tagging.table, change)
    return Outcome(None)


async def run_list(listing: Listing, catalog: Catalog, _moment: Moment) -> Outcome:
    """A page of tags in the order of their keys."""
    opened = await catalog.open(listing.table)
    if opened is None:
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.arn_not_found(listing.arn))
    tags = opened.table.tags
    keys = sorted(key for key in tags if key > listing.after)
    page = keys[:TAGS_PAGE_MAX]
    token = _token(page[-1]) if len(keys) > len(page) else None
    return Outcome(ListAnswer([Tag(key=key, value=tags[key]) for key in page], token))


def _token(key: str) -> str:
    return urlsafe_b64encode(key.encode()).decode()


def _after(token: str | None) -> str:
    """The key that the page before ended with; every key is greater than the empty one."""
    if token is None:
        return ""
    try:
        key = urlsafe_b64decode(token.encode()).decode()
    except ValueError as error:
        raise invalid(messages.invalid_next_token()) from error
    # Decoding passes over characters that are none of base64.
    if not key or _token(key) != token:
        raise invalid(messages.invalid_next_token())
    return key


TAG_RESOURCE: Final = TableOperation(request=TagResource, check=check_tag, run=run_tagging)
UNTAG_RESOURCE: Final = TableOperation(request=UntagResource, check=check_untag, run=run_tagging)
LIST_TAGS_OF_RESOURCE: Final = TableOperation(
    request=ListTagsOfResource, check=check_list, run=run_list
)
