"""BatchGetItem: up to 100 items of several tables, read at one moment."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, compress, islice
from typing import Final

import msgspec

from hashrange.api.dynamodb.items.charged import charges_of_items, is_limited, key_values
from hashrange.api.dynamodb.items.conditions import check_scalar_projection
from hashrange.api.dynamodb.items.legacy import ATTRIBUTES_TO_GET
from hashrange.api.dynamodb.items.pages import answered_items
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.constraints import NAME_PATTERN, are_tables
from hashrange.api.steps.operation import CallerContext, Operation, Outcome, TableMode
from hashrange.api.steps.permissions import (
    Asked,
    Permission,
    consumed_option,
    permission_on_table,
    projected,
    selection,
)
from hashrange.capacity.consumed import Units, consumed_by_table
from hashrange.capacity.units import Charge, KeyValues, read_units, units_of_reads
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Projection, Sources, bind, check_presence
from hashrange.expressions.projections import attributes_projection
from hashrange.limits.requests import BATCH_GET_BYTES_MAX, BATCH_GET_KEYS_MAX
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages.expressions import styles_mixed
from hashrange.messages.items import operations as messages
from hashrange.model.canonical import canonical_item
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    BatchGetItem,
    BatchGetItemAnswer,
    KeysAndAttributes,
)
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import size_of
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import read_items
from hashrange.tables.opened.vector_entries import charged_sizes
from hashrange.wire import enums
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each_value, length, map_keys, one_of, required, rows
from hashrange.wire.rules import Form

_CAPACITY: Final = one_of(
    "return_consumed_capacity", enums.RETURN_CONSUMED_CAPACITY, form=Form.MODEL
)
_ROWS: Final = rows(
    required("request_items"),
    length("request_items", 1, None),
    _CAPACITY,
    each_value(
        "request_items",
        length("keys", 1, BATCH_GET_KEYS_MAX),
        required("keys"),
        ATTRIBUTES_TO_GET,
    ),
)
_NAME_ROWS: Final = rows(
    map_keys(
        "request_items",
        least=TABLE_NAME_CHARS_MIN,
        most=TABLE_NAME_CHARS_MAX,
        pattern=NAME_PATTERN,
        form=Form.MODEL,
        as_json=True,
    ),
    _CAPACITY,
)
_NO_SOURCES: Final = Sources()
_SHORT_NAME_CHARS: Final = 255
_TEXT: Final = {("S",)}


class CheckedTable(msgspec.Struct, frozen=True):
    """The checked part of one table; `keys` are canonical, in the order of the request."""

    name: str
    sent: KeysAndAttributes
    keys: list[Item]
    projection: Projection | None


class CheckedBatchGetItem(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no tables."""

    request: BatchGetItem
    parts: list[CheckedTable]

    @property
    def table_names(self) -> list[str]:
        """Names or ARNs of the tables, as sent."""
        return [part.name for part in self.parts]


class BatchGetItemPlan(msgspec.Struct, frozen=True):
    """Encoded keys to read: a list for each table."""

    request: BatchGetItem
    parts: list[CheckedTable]
    tables: Sequence[OpenTable]
    keys: list[list[bytes]]
    throttled: frozenset[bytes] = frozenset()
    """Encoded keys that are not read, and answered as UnprocessedKeys."""


def check(request: BatchGetItem) -> CheckedBatchGetItem:
    """Refuse invalid members, expressions, values and duplicate keys, in DynamoDB's order."""
    _check_tables(request)
    assert request.request_items is not None
    _check_styles(request.request_items.values())
    parts: list[CheckedTable] = []
    room = BATCH_GET_KEYS_MAX
    for name, sent in request.request_items.items():
        parts.append(_check_table(name, sent, room))
        room -= len(parts[-1].keys)
    return CheckedBatchGetItem(request, parts)


def _check_tables(request: BatchGetItem) -> None:
    if not are_tables(request.request_items or ()):
        check_constraints(request, _NAME_ROWS, Form.CURRENT)
    check_constraints(request, _ROWS, Form.CURRENT)


def _check_styles(parts: Collection[KeysAndAttributes]) -> None:
    """Refuse a batch with legacy and expression parameters, also of different tables."""
    legacy = [part for part in parts if part.attributes_to_get is not None]
    if legacy and any(part.projection_expression is not None for part in parts):
        raise invalid(styles_mixed(["AttributesToGet"], ["ProjectionExpression"]))


def _check_table(name: str, sent: KeysAndAttributes, keys_max: int) -> CheckedTable:
    text, names = sent.projection_expression, sent.expression_attribute_names
    if text is None:
        check_presence(_NO_SOURCES, names, None)
    projection = None
    if text is not None:
        projection = bind(Sources(projection=text), names, None, wording=Wording.CURRENT).projection
    keys = checked_keys(sent, keys_max)
    if sent.attributes_to_get is not None:
        projection = attributes_projection(sent.attributes_to_get)
    return CheckedTable(name, sent, keys, projection)


def checked_keys(sent: KeysAndAttributes, keys_max: int) -> list[Item]:
    """The keys with canonical values. Raises ValidationException for the first invalid key."""
    assert sent.keys is not None, "checked"
    if len(sent.keys) <= keys_max and are_texts(sent.keys):
        if len(set(map(_encode_sorted, sent.keys))) < len(sent.keys):
            raise invalid(messages.duplicate_keys())
        return sent.keys
    keys: list[Item] = []
    # The service compares keys as they were sent: 1 and 1.0 are different keys.
    written: set[bytes] = set()
    for key in sent.keys:
        keys.append(canonical_item(key, Wording.CURRENT).item)
        written.add(_encode_sorted(key))
        if len(written) < len(keys):
            raise invalid(messages.duplicate_keys())
        if len(keys) > keys_max:
            raise invalid(messages.too_many_gets())
    return keys


def are_texts(keys: list[dict[str, AttributeValue]]) -> bool:
    """Whether all values are strings under short names: such keys need no further check."""
    shapes = {(tuple(key), *map(tuple, key.values())) for key in keys}  # usually one
    return all(
        all(0 < len(name) <= _SHORT_NAME_CHARS for name in names) and set(kinds) <= _TEXT
        for names, *kinds in shapes
    )


def fit(checked: CheckedBatchGetItem, *tables: OpenTable) -> BatchGetItemPlan:
    """Encode the keys of each table; refuse keys that do not fit its schema."""
    keys: list[list[bytes]] = []
    for part, table in zip(checked.parts, tables, strict=True):
        keys.append([key_of(table, key) for key in part.keys])
        check_scalar_projection(part.projection, table)
    return BatchGetItemPlan(checked.request, checked.parts, tables, keys)


def charges(plan: BatchGetItemPlan) -> Sequence[Charge]:
    """The least read units of each key: those of a missing item."""
    found: list[Charge] = []
    for part, table, encoded in zip(plan.parts, plan.tables, plan.keys, strict=True):
        units = read_units(0, consistent=part.sent.consistent_read is True)
        for key, position in zip(part.keys, encoded, strict=True):
            partition = (key[table.partition_name],)
            found.append(
                Charge(part.name, partition, read_units=units, position=position[ITEM_POSITION])
            )
    return found


def keys(plan: BatchGetItemPlan) -> Sequence[KeyValues]:
    """The keys of all tables."""
    parts = zip(plan.parts, plan.tables, strict=True)
    return [key_values(table, key) for part, table in parts for key in part.keys]


def without(plan: BatchGetItemPlan, refusals: Sequence[DynamoError | None]) -> BatchGetItemPlan:
    """The plan without throttled keys; raises the first error if there are no others."""
    keys = [key for encoded in plan.keys for key in encoded]
    refused = [error for error in refusals if error is not None]
    if len(refused) == len(keys):
        raise refused[0]
    throttled = frozenset(
        key for key, error in zip(keys, refusals, strict=True) if error is not None
    )
    return msgspec.structs.replace(plan, throttled=throttled)


def is_eventual(plan: BatchGetItemPlan) -> bool:
    """Whether ConsistentRead is set for no table; all keys are read at one moment."""
    return not any(part.sent.consistent_read for part in plan.parts)


async def run(plan: BatchGetItemPlan, context: CallerContext) -> Outcome:
    """Read all items at one moment; items beyond 16 MB are answered as UnprocessedKeys."""
    if plan.throttled:
        return await _run_partly(plan, context)
    flat = [key for keys in plan.keys for key in keys]
    stored = iter(await read_items(context.store.engine, plan.tables, flat))
    responses: dict[str, msgspec.Raw | list[Item]] = {}
    unprocessed: dict[str, KeysAndAttributes] = {}
    units: dict[str, Units] = {}
    charged: list[Charge] = []
    limited, room = is_limited(plan.tables), BATCH_GET_BYTES_MAX
    for part, keys, table in zip(plan.parts, plan.keys, plan.tables, strict=True):
        read, items = keys, list(islice(stored, len(part.keys)))
        sizes = [0 if item is None else size_of(item) for item in items]
        if sum(sizes) > room:
            taken = taken_in_turn(sizes, room)
            left = [key for key, is_taken in zip(part.keys, taken, strict=True) if not is_taken]
            unprocessed[part.name] = msgspec.structs.replace(part.sent, keys=left)
            items, sizes = list(compress(items, taken)), list(compress(sizes, taken))
            read = list(compress(keys, taken))
        room -= sum(sizes)
        if table.vector_names:
            sizes = charged_sizes(table.table, items)
        found = [item for item in items if item is not None]
        responses[part.name] = answered_items(found, part.projection)
        consistent = part.sent.consistent_read is True
        units[part.name] = Units(table=units_of_reads(sizes, consistent=consistent))
        if limited:
            each = [read_units(size, consistent=consistent) for size in sizes]
            charged += charges_of_items([part.name] * len(each), read, each)
    answer = BatchGetItemAnswer(
        responses=responses,
        unprocessed_keys=unprocessed,
        consumed_capacity=consumed_by_table(units, plan.request.return_consumed_capacity),
    )
    by_table = [Charge(name, read_units=cost.total) for name, cost in units.items()]
    return Outcome(answer, charges=charged or by_table)


async def _run_partly(plan: BatchGetItemPlan, context: CallerContext) -> Outcome:
    """Read the items that are not throttled; the others are UnprocessedKeys too."""
    throttled = plan.throttled
    parts: list[CheckedTable] = []
    keys: list[list[bytes]] = []
    left: dict[str, list[Item]] = {}
    for part, encoded in zip(plan.parts, plan.keys, strict=True):
        pairs = list(zip(part.keys, encoded, strict=True))
        read = [pair for pair in pairs if pair[1] not in throttled]
        parts.append(msgspec.structs.replace(part, keys=[key for key, _ in read]))
        keys.append([key for _, key in read])
        if len(read) < len(pairs):
            left[part.name] = [key for key, place in pairs if place in throttled]
    outcome = await run(
        msgspec.structs.replace(plan, parts=parts, keys=keys, throttled=frozenset()), context
    )
    answer = outcome.answer
    assert isinstance(answer, BatchGetItemAnswer)
    unprocessed = dict(answer.unprocessed_keys)
    for part in plan.parts:
        if part.name in left:
            more = unprocessed.get(part.name)
            others = [] if more is None else (more.keys or [])
            sent = msgspec.structs.replace(part.sent, keys=[*others, *left[part.name]])
            unprocessed[part.name] = sent
    answer = msgspec.structs.replace(answer, unprocessed_keys=unprocessed)
    return msgspec.structs.replace(outcome, answer=answer)


def taken_in_turn(sizes: Sequence[int], room: int) -> list[bool]:
    """Which items are answered: in order, each item that fits into the remaining bytes."""
    taken: list[bool] = []
    for size in sizes:
        taken.append(size <= room)
        if taken[-1]:
            room -= size
    return taken


_encode_sorted: Final = msgspec.json.Encoder(order="sorted").encode


def permissions(_checked: object, plan: BatchGetItemPlan, asked: Asked) -> Iterator[Permission]:
    """BatchGetItem on each of the tables."""
    for part, table in zip(plan.parts, plan.tables, strict=True):
        yield permission_on_table(
            "BatchGetItem",
            part.name,
            asked,
            partitions=[(key[table.partition_name],) for key in part.keys],
            names=chain(table.key_names, projected(part.projection)),
            options={
                "dynamodb:select": (selection(part.projection),),
                "dynamodb:returnconsumedcapacity": (
                    consumed_option(plan.request.return_consumed_capacity),
                ),
            },
        )


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["BatchGetItem"],
    request=BatchGetItem,
    check=check,
    accesses=on_tables("BatchGetItem"),
    permissions=permissions,
    tables=TableMode.OPEN,
    fit=fit,
    charges=charges,
    keys=keys,
    is_eventual=is_eventual,
    without=without,
    run=run,
)
