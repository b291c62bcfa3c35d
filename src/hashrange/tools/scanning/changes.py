"""Updates or deletes all items of a table that fulfil a filter, without creating any."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashrange.clock import Clock
from hashrange.errors import DynamoError
from hashrange.expressions.program import Sources, bind
from hashrange.expressions.tokens import Cursor, Kind
from hashrange.model.wording import Wording
from hashrange.tools.copying.digests import text_of
from hashrange.tools.copying.endpoint import Endpoint, Retries
from hashrange.tools.copying.place import CopyError, RefusedError
from hashrange.tools.scanning.expressions import Expressions, InputError, placeholder_of
from hashrange.tools.scanning.jobs import CheckpointFile, Job, Totals, new_checkpoint
from hashrange.tools.scanning.pacing import Pacer
from hashrange.tools.scanning.repeats import is_repeatable
from hashrange.tools.scanning.scan import ScanOptions, ScanResult, counted
from hashrange.tools.scanning.segments import (
    Scanner,
    ScanPage,
    ScanRequest,
    ScanTarget,
    chosen_parallel,
    scan_target,
)

PAGE_ITEMS: Final = 200
"""Items of a page: those of the pages that were begun are changed again after a kill."""
WRITES_A_SEGMENT: Final = 4
"""Requests that one segment sends at the same time."""
_CONDITION_FAILED: Final = "ConditionalCheckFailedException"

_Key = dict[str, Any]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The change of each item.

    Attributes:
        operation: UpdateItem or DeleteItem.
        options: the table, and the expressions: filter, condition and update.
        marker: the attribute that marks updated items with the id of the run; None for none.
        checkpoint: keeps the progress.
    """

    operation: str
    options: ScanOptions
    marker: str | None = None
    checkpoint: CheckpointFile

    @property
    def is_repeatable(self) -> bool:
        """Whether an item may be changed twice without harm."""
        expressions = self.options.expressions
        text = expressions.texts.get("update")
        if text is None or self.marker is not None:
            return True
        return is_repeatable(text, expressions.names, expressions.values)


def retries_of(change: Change) -> Retries:
    """How an endpoint sends requests of the change again."""
    sent_once = frozenset() if change.is_repeatable else frozenset({change.operation})
    return Retries(throttled=False, sent_once=sent_once)


def check_change(change: Change, *, resume: bool) -> None:
    """Refuse expressions that cannot be used, in DynamoDB's words. Raises InputError."""
    expressions = change.options.expressions
    expressions.check_use()
    texts = expressions.texts
    try:
        for kind in ("update", "condition", "filter"):
            if kind in texts:
                # An expression for all three needs no request to be refused.
                members = expressions.members(expression=texts[kind])
                bind(
                    Sources(**{"condition" if kind == "filter" else kind: texts[kind]}),
                    members.get("ExpressionAttributeNames"),
                    members.get("ExpressionAttributeValues"),
                    wording=Wording.CURRENT,
                )
    except DynamoError as error:
        raise InputError(error.message or error.fault.name) from error
    if resume and not change.is_repeatable:
        raise InputError(
            "this update changes an item again if it is repeated, so it cannot continue after a "
            "stop: --once ATTRIBUTE marks the items that are updated"
        )


class _Requests:
    """The requests that change items.

    Args:
        change: what is done.
        target: the table.
        run_id: distinguishes this run from others, in the marker.
    """

    def __init__(self, change: Change, target: ScanTarget, run_id: str) -> None:
        self.operation = change.operation
        self._target = target
        expressions = change.options.expressions
        names, values = dict(expressions.names), dict(expressions.values)
        texts = expressions.texts
        # An update would create an item that vanished since it was read.
        key = placeholder_of(target.key_names[0], names)
        conditions = [f"attribute_exists({key})"]
        conditions += [f"({texts[kind]})" for kind in ("filter", "condition") if kind in texts]
        update = texts.get("update")
        if change.marker is not None:
            marker = placeholder_of(change.marker, names)
            values[_RUN] = {"S": run_id}
            conditions.append(f"(attribute_not_exists({marker}) OR {marker} <> {_RUN})")
            update = _with_set(update or "", f"{marker} = {_RUN}")
        members = {"ConditionExpression": " AND ".join(conditions)}
        if update is not None:
            members["UpdateExpression"] = update
        self._members = {
            "TableName": target.table.name,
            "ReturnConsumedCapacity": "TOTAL",
            **Expressions({}, names, values).members(**members),
        }

    def key_of(self, item: msgspec.Raw) -> _Key:
        """The key of an item."""
        found = _decode(item)
        return {name: found[name] for name in self._target.key_names}

    def body(self, key: _Key) -> bytes:
        """The request for the item with this key."""
        return msgspec.json.encode({**self._members, "Key": key})


_RUN: Final = ":hashrangeRun"
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


class _Written(msgspec.Struct, frozen=True, rename="pascal"):
    consumed_capacity: dict[str, Any] | None = None

    @property
    def units(self) -> float:
        return float((self.consumed_capacity or {}).get("CapacityUnits", 0.0))


_decode_written: Final = msgspec.json.Decoder(_Written).decode


def _with_set(update: str, action: str) -> str:
    """An update with one more action of SET, which may stand once in an expression."""
    cursor = Cursor(update, "update")
    while cursor.token.kind is not Kind.END:
        token = cursor.advance()
        if token.symbol == "SET":
            return f"{update[: token.end]} {action}, {update[token.end :]}"
    return f"{update} SET {action}"


async def changed(
    place: Endpoint,
    change: Change,
    clock: Clock,
    on_totals: Callable[[Totals], None],
    *,
    resume: bool = False,
) -> ScanResult:
    """Change all items that fulfil the filter. Raises InputError, CopyError.

    Each change has the condition that the item is there and still fulfils the filter; items that do
    not are counted as skipped. Items of pages that were begun before a kill are changed again.

    Args:
        place: holds the table; its retries are `retries_of(change)`.
        change: what is done.
        clock: time and randomness.
        on_totals: receives the totals after each page.
        resume: continue from the checkpoint, if there is one.
    """
    check_change(change, resume=resume)
    options, file = change.options, change.checkpoint
    target = await scan_target(place, options.table, options.index)
    job_of = _job(place, change, target)
    found = file.read({**job_of}) if resume else None
    if found is None and not resume and file.path.exists():
        raise InputError(
            f"{file.path} is of a command that was stopped: --resume continues it; remove the file "
            "to start from the beginning"
        )
    checkpoint = found or new_checkpoint(job_of, options.segments_of(target))
    if not checkpoint.run_id:
        checkpoint.run_id = clock.new_uuid()
    parallel = options.segments or chosen_parallel(len(checkpoint.segments))
    pacer = Pacer(clock, parallel=parallel * WRITES_A_SEGMENT, units_a_second=options.rate_limit)
    changes = _Changes(
        place,
        _Requests(change, target, checkpoint.run_id),
        target,
        pacer=pacer,
        totals=checkpoint.totals,
    )
    job = Job(checkpoint, clock, file=file, on_totals=on_totals)
    scanner = Scanner(place, _keys_request(change, target), pacer)
    job.save()
    try:
        await job.run(scanner, changes.apply, parallel=parallel)
    finally:
        if not change.is_repeatable:
            file.remove()
    file.remove()
    return ScanResult(checkpoint.totals, len(checkpoint.segments))


def _keys_request(change: Change, target: ScanTarget) -> ScanRequest:
    """Reads the keys of the items that fulfil the filter."""
    expressions = change.options.expressions
    names = dict(expressions.names)
    keys = ", ".join(placeholder_of(name, names) for name in target.key_names)
    texts = {"projection": keys}
    if "filter" in expressions.texts:
        texts["filter"] = expressions.texts["filter"]
    used = Expressions({}, names, expressions.values).members(**texts)
    read = Expressions(
        texts,
        used.get("ExpressionAttributeNames", {}),
        used.get("ExpressionAttributeValues", {}),
    )
    return ScanRequest(
        target=target,
        expressions=read,
        consistent=change.options.consistent,
        page_items=PAGE_ITEMS,
        units_a_page=change.options.rate_limit,
    )


def _job(place: Endpoint, change: Change, target: ScanTarget) -> dict[str, Any]:
    expressions = change.options.expressions
    return {
        "command": change.operation,
        "endpoint": place.shown,
        "table": target.table.name,
        "table created then": target.created,
        "index": target.index,
        **{kind: expressions.texts.get(kind) for kind in ("filter", "condition", "update")},
        "names": expressions.names,
        "values": expressions.values,
        "marker": change.marker,
    }


class _Changes:
    """Changes the items of pages."""

    def __init__(
        self,
        place: Endpoint,
        requests: _Requests,
        target: ScanTarget,
        *,
        pacer: Pacer,
        totals: Totals,
    ) -> None:
        self._place = place
        self._requests = requests
        self._caller = target.table.caller
        self._pacer = pacer
        self._totals = totals

    async def apply(self, _: int, page: ScanPage) -> bool:
        """Change all items of a page. Raises CopyError."""
        keys = [self._requests.key_of(item) for item in page.items]
        waiting = iter(keys)

        async def worker() -> None:
            for key in waiting:
                await self._change(key)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(WRITES_A_SEGMENT, len(keys))):
                group.create_task(worker())
        self._totals.throttled = self._pacer.throttled
        return True

    async def _change(self, key: _Key) -> None:
        body, operation = self._requests.body(key), self._requests.operation

        async def send() -> _Written:
            return _decode_written(await self._place.call(self._caller, operation, body))

        try:
            written = await self._pacer.write(send, lambda each: each.units)
        except RefusedError as error:
            if error.code != _CONDITION_FAILED:
                raise CopyError(f"{text_of(key).decode()}: {error}") from error
            self._totals.skipped += 1
        except CopyError as error:
            shown = text_of(key).decode()
            raise CopyError(f"{shown} may or may not be changed: {error}") from error
        else:
            self._totals.items += 1
            self._totals.write_units += written.units


async def would_change(
    place: Endpoint, change: Change, clock: Clock, on_totals: Callable[[Totals], None]
) -> ScanResult:
    """Count the items that `changed` would change now. Raises InputError, CopyError."""
    check_change(change, resume=False)
    options = change.options
    texts = options.expressions.texts
    parts = [f"({texts[kind]})" for kind in ("filter", "condition") if kind in texts]
    filters = {"filter": " AND ".join(parts)} if parts else {}
    used = options.expressions.members(**filters)
    expressions = Expressions(
        filters,
        used.get("ExpressionAttributeNames", {}),
        used.get("ExpressionAttributeValues", {}),
    )
    return await counted(
        place, msgspec.structs.replace(options, expressions=expressions), clock, on_totals
    )
