"""Rules of access patterns: keys, indexes, projections, batches and hot keys. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashrange.limits.tables import PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX
from hashrange.model.operations import OPERATION_FACTS
from hashrange.tools.checking.conditions import (
    EQUAL,
    Condition,
    conditions_of,
    faults,
    names_in_expression,
    names_written,
    serving,
)
from hashrange.tools.checking.findings import Finding
from hashrange.tools.checking.sizing import units_of
from hashrange.tools.checking.table_rules import part_of_pattern
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.collections import key_template
from hashrange.tools.models.samples import is_typed
from hashrange.tools.models.schema import OPERATIONS, AccessPattern, Model
from hashrange.tools.models.table_parts import key_types, keys_of
from hashrange.tools.models.templates import is_constant, names_in

KEYED: Final = ("GetItem", "UpdateItem", "DeleteItem")
"""Operations on one item, by its whole key."""


def patterns(model: Model) -> Iterator[Finding]:
    """All findings of access patterns whose tables and indexes exist."""
    for pattern in model.patterns:
        table = model.table_of_pattern(pattern)
        if pattern.operation not in OPERATIONS or table is None or pattern.note is not None:
            continue
        part = part_of_pattern(table, pattern.index)
        if part is None:
            continue
        place = f"pattern {pattern.name}"
        found = [
            *_index(pattern, table),
            *(() if pattern.request else _key(model, pattern, table, part)),
            *_projection(pattern, table, part),
            *_hot_key(model, pattern, part),
            *_requests(model, pattern),
            *_stale_keys(model, pattern),
        ]
        for kind, text in found:
            yield Finding(kind=kind, place=place, text=text)


def _stale_keys(model: Model, pattern: AccessPattern) -> Iterator[tuple[str, str]]:
    """Attributes with templates that an update leaves as they were made of former values."""
    entity = model.entity_named(pattern.entity)
    if pattern.operation != "UpdateItem" or entity is None or pattern.update is None:
        return
    written = names_written(pattern.update, pattern.names)
    table = model.table_of_pattern(pattern)
    keys = [] if table is None else [each for names in keys_of(table.request) for each in names]
    # What an upsert repeats of the key of its item is the value that the key is made of.
    repeated = {each for each in written if f"{{{each}}}" in pattern.values.values()}
    for name, template in entity.templates.items():
        same = repeated if name in keys else set()
        changed = [each for each in names_in(template) if each in written - same]
        if changed and name not in written:
            text = f"it changes {', '.join(changed)}, and leaves {name} as it was, which is made of"
            yield "stale-key", f"{text} {template}"


def _index(pattern: AccessPattern, table: TableDefinition) -> Iterator[tuple[str, str]]:
    if pattern.operation == "Scan":
        yield "scan", f"it reads all items of {pattern.index or f'table {table.name}'}"
    if pattern.index is None:
        return
    if pattern.operation not in {"Query", "Scan"}:
        yield "index-not-readable", f"{pattern.operation} cannot read an index: use Query"
    names = [each["IndexName"] for each in table.request.get("GlobalSecondaryIndexes") or ()]
    consistent = pattern.consistent or (pattern.request or {}).get("ConsistentRead") is True
    if consistent and pattern.index in names:
        text = f"{pattern.index} is a global index, which has no strongly consistent reads"
        yield "consistent-global-index", text


def _key(
    model: Model, pattern: AccessPattern, table: TableDefinition, part: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    conditions = conditions_of(pattern.key)
    if pattern.operation == "Query":
        yield from _query(pattern, table, part, conditions)
    elif pattern.operation in KEYED and conditions:
        names = [name for key in keys_of(table.request) for name in key]
        for missing in [name for name in names if name not in pattern.key]:
            yield "incomplete-key", f"{pattern.operation} needs the whole key; {missing} is missing"
        for condition in conditions:
            if condition.name not in names:
                yield "condition-on-no-key", f"{condition.name} is not an attribute of this key"
            elif condition.operator != EQUAL:
                yield "unknown-condition", f"{pattern.operation} has no {condition.operator}"
    elif pattern.operation in KEYED and pattern.entity is None:
        yield "no-value", "without an entity it needs a key"
    yield from _types(conditions, key_types(table.request))
    yield from _placeholders(model, pattern)


def _query(
    pattern: AccessPattern,
    table: TableDefinition,
    part: Mapping[str, Any],
    conditions: list[Condition],
) -> Iterator[tuple[str, str]]:
    found = list(faults(part, conditions))
    kinds = {kind for kind, _text in found}
    if found and pattern.index is None and "unknown-condition" not in kinds:
        names = " and ".join(pattern.key) or "no attribute"
        indexes = serving(table.request, conditions)
        text = f"the key of table {table.name} does not serve conditions on {names}"
        if indexes:
            yield "no-key-serves", f"{text}; index {indexes[0]} does: name it"
        elif kinds & {"condition-on-no-key", "partition-key-missing"}:
            yield "no-key-serves", f"{text}, nor does an index"
    yield from found
    keys = {name for names in keys_of(part) for name in names}
    for name in names_in_expression(pattern.filter or "", pattern.names):
        if name in keys:
            text = f"the filter has the key attribute {name}, which a Query refuses: use key"
            yield "filter-on-key", text


def _types(conditions: list[Condition], types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for condition in conditions:
        wanted = types.get(condition.name)
        if wanted is None:
            continue
        if condition.operator == "begins_with" and wanted == "N":
            text = f"begins_with is for text and binary, and {condition.name} is a number"
            yield "begins-with-on-number", text
            continue
        for value in condition.values:
            kind = _kind(value, wanted)
            if kind != wanted:
                text = f"{condition.name} is compared with a value of type {kind}, and is {wanted}"
                yield "condition-type", text
            elif value == "":
                yield "empty-key", f"{condition.name} is compared with an empty value"


def _kind(value: Any, wanted: str) -> str:  # noqa: PLR0911 - a row for each type
    """The type of a value in a condition on a key of type `wanted`."""
    if is_typed(value):
        return str(next(iter(value)))
    match value:
        case bool():
            return "BOOL"
        case str() if wanted in {"S", "B"}:
            return wanted
        case str():
            return "N" if names_in(value) or _is_number(value) else "S"
        case None:
            return "NULL"
        case list():
            return "L"
        case dict():
            return "M"
        case _:
            return "N"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _placeholders(model: Model, pattern: AccessPattern) -> Iterator[tuple[str, str]]:
    """Attributes of templates that the entity does not have."""
    texts = [
        value
        for condition in conditions_of(pattern.key)
        for value in condition.values
        if isinstance(value, str)
    ]
    texts += [value for value in pattern.values.values() if isinstance(value, str)]
    needed = [name for text in texts for name in names_in(text)]
    entity = model.entity_named(pattern.entity)
    if entity is None:
        if needed:
            yield "no-value", f"without an entity there is no value for {needed[0]}"
        return
    known = {*entity.attributes, *entity.templates}
    known |= {name for item in entity.samples for name in item}
    for name in dict.fromkeys(name for name in needed if name not in known):
        yield "unknown-attribute", f"{name} is not an attribute of {entity.name}"


def _projection(
    pattern: AccessPattern, table: TableDefinition, part: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    projection = part.get("Projection") or {"ProjectionType": "ALL"}
    if pattern.index is None or projection.get("ProjectionType") == "ALL":
        return
    projected = {*(projection.get("NonKeyAttributes") or ())}
    for each in (part, table.request):
        projected |= {name for names in keys_of(each) for name in names}
    locals_ = [each["IndexName"] for each in table.request.get("LocalSecondaryIndexes") or ()]
    wanted = [*pattern.returns, *names_in_expression(pattern.filter or "", pattern.names)]
    for name in dict.fromkeys(each.partition(".")[0].partition("[")[0] for each in wanted):
        if name in projected:
            continue
        if pattern.index in locals_:
            text = f"{pattern.index} does not project {name}: each item is read from the table too"
            yield "fetched-from-table", text
        else:
            text = f"{pattern.index} does not project {name}, which the pattern needs"
            yield "attribute-not-projected", text


def _hot_key(
    model: Model, pattern: AccessPattern, part: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    units, share = units_of(model, pattern), pattern.hottest_key_share
    entity = model.entity_named(pattern.entity)
    if share is None and entity is not None:
        template = key_template(entity, keys_of(part)[0])
        share = 1.0 if template is not None and is_constant(template) else None
    if units is None or share is None:
        return
    for kind, each, limit in (
        ("read", units.read, PARTITION_READ_UNITS_MAX),
        ("write", units.write, PARTITION_WRITE_UNITS_MAX),
    ):
        rate = each * pattern.rate * share
        if rate > limit:
            text = (
                f"one partition key gets {rate:,.0f} {kind} units a second; "
                f"a partition has at most {limit:,}"
            )
            yield "hot-key", text


def _requests(model: Model, pattern: AccessPattern) -> Iterator[tuple[str, str]]:
    limit = OPERATION_FACTS[pattern.operation].items_max
    if limit is not None and (pattern.items or 1) > limit:
        text = f"{pattern.operation} has at most {limit} items, not {pattern.items}"
        yield "batch-too-large", text
    units = units_of(model, pattern)
    if units is not None and units.requests > 1:
        text = f"it reads more than 1 MB: {units.requests} requests for one result"
        yield "several-requests", text
