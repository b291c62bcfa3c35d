"""Makes the tables of a model, loads its samples, and runs its access patterns."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from hashrange.api.steps.operation import Caller
from hashrange.capacity.costs.capacity_lines import on_demand
from hashrange.capacity.costs.usage import Usage
from hashrange.capacity.prices import MONTH_HOURS, listed, prices_of
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX
from hashrange.tools.checking.findings import Finding
from hashrange.tools.checking.requests import request_of_pattern
from hashrange.tools.checking.results import PatternResult
from hashrange.tools.checking.sizing import WRITES, Units, units_of
from hashrange.tools.copying.item_lines import Item
from hashrange.tools.copying.place import Pause, Place, RefusedError, TableRef, ask
from hashrange.tools.copying.tables import delete_table, wait_until_active
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.items import items_of
from hashrange.tools.models.schema import AccessPattern, Model, ModelError

PAGES_MAX: Final = 10
"""Pages that are read of one pattern."""
_HOUR_SECONDS: Final = 3600
_RARE: Final = "STANDARD_INFREQUENT_ACCESS"
_CONCURRENT: Final = 8
_FAILED: Final = "ConditionalCheckFailedException"
_LEFT_OUT: Final = (
    *("DeletionProtectionEnabled", "SSESpecification", "ResourcePolicy", "Tags"),
    "WarmThroughput",
)
"""Members of CreateTable that scratch tables do without: they cost money, or keep the table."""
_ORDER: Final = ("PutItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems", "DeleteItem")


class Scratch(msgspec.Struct, frozen=True):
    """The tables of a check.

    Attributes:
        place: the server.
        names: the names of the tables on the server, by those of the model.
        caller: of the requests.
        monotonic_ns: a clock.
    """

    place: Place
    names: Mapping[str, str]
    caller: Caller
    monotonic_ns: Callable[[], int]


@asynccontextmanager
async def scratch_tables(
    model: Model,
    place: Place,
    named: Callable[[str], TableRef],
    prefix: str,
    *,
    pause: Pause,
    monotonic_ns: Callable[[], int],
) -> AsyncIterator[tuple[Scratch, list[Finding]]]:
    """The tables of a model under names with a prefix, removed at the end. Raises CopyError.

    Args:
        model: the model.
        place: the server.
        named: makes references to tables of the server.
        prefix: the beginning of the names of the tables.
        pause: waits.
        monotonic_ns: a clock.
    """
    made: list[TableRef] = []
    found: list[Finding] = []
    names: dict[str, str] = {}
    try:
        for table in model.tables:
            ref = named(f"{prefix}{table.name}"[:TABLE_NAME_CHARS_MAX])
            request = creation_of(table, ref.name)
            try:
                await ask(place, ref.caller, "CreateTable", request)
            except RefusedError as error:
                place_text = f"table {table.name}"
                text = error.text or error.code
                found.append(Finding(kind="table-refused", place=place_text, text=text))
                continue
            made.append(ref)
            names[table.name] = ref.name
        for ref in made:
            await wait_until_active(place, ref, pause)
        yield Scratch(place, names, named("").caller, monotonic_ns), found
    finally:
        for ref in made:
            await delete_table(place, ref, pause)


def creation_of(table: TableDefinition, name: str) -> dict[str, Any]:
    """The request that makes a table for trials: it costs nothing more, and can be deleted."""
    kept = {member: value for member, value in table.request.items() if member not in _LEFT_OUT}
    return {**kept, "TableName": name}


async def load_samples(model: Model, scratch: Scratch) -> tuple[int, list[Finding]]:
    """Put the samples of all entities; their number, and the refused ones."""
    found: list[Finding] = []

    async def put(name: str, item: Item, place: str) -> None:
        try:
            request = {"TableName": name, "Item": item}
            await ask(scratch.place, scratch.caller, "PutItem", request)
        except RefusedError as error:
            text = error.text or error.code
            found.append(Finding(kind="sample-refused", place=place, text=text))

    puts = []
    for entity in model.entities:
        table = model.table_of_entity(entity)
        if table is None or table.name not in scratch.names:
            continue
        for number, item in enumerate(items_of(model, entity), 1):
            place = f"entity {entity.name}, sample {number}"
            puts.append((scratch.names[table.name], item, place))
    for begin in range(0, len(puts), _CONCURRENT):
        await asyncio.gather(*(put(*each) for each in puts[begin : begin + _CONCURRENT]))
    return len(puts) - len(found), found


async def run_patterns(
    model: Model, scratch: Scratch, broken: set[str]
) -> tuple[list[PatternResult], list[Finding]]:
    """Run the patterns, reads first; the results in the order of the model.

    Args:
        model: the model.
        scratch: its tables, with the samples.
        broken: the names of patterns with errors, which are not run.
    """
    found: list[Finding] = []
    results: dict[int, PatternResult] = {}
    for number, pattern in sorted(enumerate(model.patterns), key=_turn):
        result = _empty(model, pattern)
        table = model.table_of_pattern(pattern)
        is_ready = table is not None and table.name in scratch.names
        if pattern.note is None and pattern.name not in broken and is_ready:
            result, found_here = await _run(model, pattern, scratch, result)
            found += found_here
        elif pattern.name in broken:
            result = msgspec.structs.replace(result, status="error")
        results[number] = priced(model, pattern, result)
    return [results[number] for number in sorted(results)], found


def _turn(row: tuple[int, AccessPattern]) -> int:
    """Reads are before writes, and deletes last, so that reads find the samples."""
    operation = row[1].operation
    return _ORDER.index(operation) + 1 if operation in _ORDER else 0


def _empty(model: Model, pattern: AccessPattern) -> PatternResult:
    table = model.table_of_pattern(pattern)
    return PatternResult(
        name=pattern.name,
        operation=pattern.operation,
        table=None if table is None else table.name,
        index=pattern.index,
        status="not run",
        rate=pattern.rate,
    )


async def _run(
    model: Model, pattern: AccessPattern, scratch: Scratch, result: PatternResult
) -> tuple[PatternResult, Sequence[Finding]]:
    place = f"pattern {pattern.name}"
    assert result.table is not None, "the caller has checked it"
    failed = msgspec.structs.replace(result, status="error")
    try:
        request = request_of_pattern(model, pattern, scratch.names[result.table])
        answers, milliseconds = await _answers(pattern, request, scratch)
    except ModelError as error:
        return failed, [Finding(kind="no-value", place=place, text=str(error))]
    except RefusedError as error:
        text = error.text or error.code
        if error.code == _FAILED:
            ran = msgspec.structs.replace(result, status="ok", requests=1)
            return ran, [Finding(kind="condition-failed", place=place, text=text)]
        return failed, [Finding(kind="pattern-refused", place=place, text=text)]
    is_write = pattern.operation in WRITES
    units = sum(map(_consumed, answers))
    items = _written(request) if is_write else sum(map(_items, answers))
    scanned = sum(answer.get("ScannedCount", 0) for answer in answers)
    ran = msgspec.structs.replace(
        result,
        status="ok",
        requests=len(answers),
        items=items,
        scanned=scanned,
        read_units=0.0 if is_write else units,
        write_units=units if is_write else 0.0,
        milliseconds=milliseconds,
    )
    return ran, _of_answers(pattern, place, items, scanned)


async def _answers(
    pattern: AccessPattern, request: dict[str, Any], scratch: Scratch
) -> tuple[list[dict[str, Any]], float]:
    """The answers of a request and its further pages, and the milliseconds until the last."""
    begin = scratch.monotonic_ns()
    answers: list[dict[str, Any]] = []
    request = {**request, "ReturnConsumedCapacity": "TOTAL"}
    for _ in range(PAGES_MAX):
        answer = await ask(scratch.place, scratch.caller, pattern.operation, request)
        answers.append(answer)
        if pattern.limit is not None or "Limit" in request or "LastEvaluatedKey" not in answer:
            break
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
    return answers, (scratch.monotonic_ns() - begin) / 1_000_000


def _of_answers(pattern: AccessPattern, place: str, items: int, scanned: int) -> Sequence[Finding]:
    if pattern.operation in WRITES:
        return ()
    if scanned > items * 2:
        text = f"its filter drops {scanned - items} of {scanned} items that it reads and pays"
        return (Finding(kind="filter-drops-most", place=place, text=text),)
    if not items:
        text = "it finds no sample"
        return (Finding(kind="nothing-found", place=place, text=text),)
    return ()


def _consumed(answer: Mapping[str, Any]) -> float:
    consumed: Any = answer.get("ConsumedCapacity") or []
    parts = consumed if isinstance(consumed, list) else [consumed]
    return sum((float(part.get("CapacityUnits", 0)) for part in parts), 0.0)


def _items(answer: Mapping[str, Any]) -> int:
    """Items in an answer of any read."""
    if "Responses" in answer:
        found = answer["Responses"]
        if isinstance(found, dict):
            return sum(map(len, found.values()))
        return sum("Item" in each for each in found)
    return int(answer.get("Count", "Item" in answer))


def _written(request: Mapping[str, Any]) -> int:
    if "RequestItems" in request:
        return sum(map(len, request["RequestItems"].values()))
    return len(request.get("TransactItems", (None,)))


def priced(model: Model, pattern: AccessPattern, result: PatternResult) -> PatternResult:
    """A result with its price in a month: by the sizes of the model, else by what it consumed."""
    stated = pattern.item_bytes is not None or pattern.items is not None
    entity = model.entity_named(pattern.entity)
    stated = stated or (entity is not None and entity.item_bytes is not None)
    units = units_of(model, pattern) if stated or result.status != "ok" else None
    if units is None:
        units = Units(read=result.read_units, write=result.write_units, requests=result.requests)
    if not pattern.rate or pattern.note is not None:
        return result
    table = model.table_of_pattern(pattern)
    is_rare = table is not None and table.request.get("TableClass") == _RARE
    usage = Usage(
        read_units=units.read * pattern.rate,
        write_units=units.write * pattern.rate,
        index_write_units=units.index_write * pattern.rate,
    )
    lines = on_demand(usage, prices_of(listed()), "ia_" if is_rare else "")
    amounts = [line.usd for line in lines if line.usd is not None]
    return msgspec.structs.replace(
        result,
        requests=max(result.requests, units.requests),
        monthly_read_units=usage.read_units * MONTH_HOURS * _HOUR_SECONDS,
        monthly_write_units=(usage.write_units + usage.index_write_units)
        * MONTH_HOURS
        * _HOUR_SECONDS,
        monthly=sum(amounts) if len(amounts) == len(lines) else None,
    )
