"""Counts the keys of requests on tables with contributor insights, as an `Admission`.

It stands before the gate of a server with `--throttle on`, or in its place without. The pipeline
has it only while a table with insights is open in this process: without insights nothing is
counted, and nothing is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from hashrange.api.steps.admission import Admission, Admitted
from hashrange.api.steps.operation import AnyOperation, Cost, no_keys
from hashrange.capacity.contributors import (
    KEYS_OF_PAST,
    CountedKeys,
    Minutes,
    new_minutes,
    rules_of,
)
from hashrange.capacity.limiter import Limiter
from hashrange.capacity.throttling import Throttling
from hashrange.capacity.units import Charge, KeyValues
from hashrange.limits.tables import INSIGHT_KEY_CHARS_MAX, INSIGHT_MINUTES_MAX, INSIGHT_PLACES_MAX
from hashrange.model.namespaces import stored_name_of
from hashrange.model.table_features import InsightsSetting
from hashrange.model.values import AttributeValue
from hashrange.observe.snapshot import Contributors
from hashrange.tables.opened.open_table import OpenTable

if TYPE_CHECKING:
    from hashrange.api.steps.gate import Gate

SPANS: Final = (0, 1, INSIGHT_MINUTES_MAX)
"""Finished minutes whose sums are reported; 0 is the present minute."""
_DIGEST_BYTES: Final = 8
_INDEX: Final = "/index/"

ByName: TypeAlias = Mapping[str, OpenTable]
"""Tables by their names as sent."""
_NO_TABLES: Final[ByName] = {}


class Counted(Admitted, frozen=True, kw_only=True):
    """A plan whose keys are to be counted, with its operation and its tables."""

    operation: AnyOperation
    tables: ByName = _NO_TABLES
    only: OpenTable | None = None
    """The table of a plan on one table."""


class KeyCounting:
    """Counts the keys of requests that are admitted, and of those that are throttled.

    Args:
        gate: admits requests; None if all are admitted.
        now_ms: the time.
        install: makes the pipeline use an admission.
        separate: each account and region has tables of its own.
    """

    def __init__(
        self,
        gate: "Gate | None",
        now_ms: Callable[[], int],
        install: Callable[[Admission | None], None],
        *,
        separate: bool = False,
    ) -> None:
        self._gate = gate
        self._now_ms = now_ms
        self._install = install
        self._separate = separate
        self._places: dict[str, Minutes] = {}

    def opened(self, table: OpenTable) -> None:
        """Follow the settings of a table that was read from the catalog."""
        arn, indexes = table.table.arn, table.table.indexes
        settings = {arn: (table.table.insights, table.sort_name is not None)}
        for index in indexes:
            settings[f"{arn}{_INDEX}{index.name}"] = (index.insights, bool(index.sort))
        for place in [each for each in self._places if each.partition(_INDEX)[0] == arn]:
            if place not in settings:
                del self._places[place]
        had_some = bool(self._places)
        for place, (setting, has_sort_key) in settings.items():
            self._follow(place, setting, has_sort_key=has_sort_key)
        if bool(self._places) == had_some:
            return
        self._install(self if self._places else self._gate)
        if self._gate is not None:
            self._gate.refused = self._throttled if self._places else None

    def _follow(self, place: str, setting: InsightsSetting | None, *, has_sort_key: bool) -> None:
        if setting is None or setting.since_ms is None:
            self._places.pop(place, None)
            return
        rules = tuple(rules_of(setting.mode, has_sort_key=has_sort_key))
        known = self._places.get(place)
        if known is None:
            if len(self._places) >= INSIGHT_PLACES_MAX:
                del self._places[min(self._places, key=lambda each: self._places[each].minute)]
            self._places[place] = new_minutes(rules, self._now_ms())
        elif known.rules != rules:
            known.count_rules(rules)

    def admit(self, operation: AnyOperation, plan: Any, tables: Sequence[Any]) -> Admitted | None:
        """As `Admission`; requests on several tables are admitted slowly."""
        if len(tables) != 1:
            return None
        admitted = Admitted(plan)
        if self._gate is not None:
            found = self._gate.admit(operation, plan, tables)
            if found is None:
                return None
            admitted = found
        table = tables[0]
        if operation.keys is no_keys or type(table) is not OpenTable or not table.has_insights:
            return admitted
        return _counted(admitted, operation, only=table)

    async def admit_slowly(
        self, operation: AnyOperation, plan: Any, names: Sequence[str], tables: Sequence[Any]
    ) -> Admitted:
        """As `Admission`."""
        admitted = Admitted(plan)
        if self._gate is not None:
            admitted = await self._gate.admit_slowly(operation, plan, names, tables)
        by_name = {
            name: table
            for name, table in zip(names, tables, strict=True)
            if isinstance(table, OpenTable) and table.has_insights
        }
        if operation.keys is no_keys or not by_name:
            return admitted
        return _counted(admitted, operation, tables=by_name)

    def charge(self, admitted: Admitted, cost: Cost | None) -> None:
        """As `Admission`; then count the keys of what was done."""
        if self._gate is not None:
            self._gate.charge(admitted, cost)
        if cost is None or not isinstance(admitted, Counted):
            return
        plan = admitted.plan
        charges, keys = admitted.operation.charges(plan), admitted.operation.keys(plan)
        if cost.charges and keys:
            for charge, key in _accessed(cost.charges, charges, keys):
                self._access(admitted, charge, key, (charge.read_units, charge.write_units))
        elif keys:
            self._access(admitted, charges[0], keys[0], (cost.read_units, cost.write_units))

    def _access(
        self, admitted: Counted, charge: Charge, key: KeyValues, units: tuple[float, float]
    ) -> None:
        """Count an access, with its read and write units."""
        table = admitted.only or admitted.tables.get(charge.table)
        minutes = None if table is None else self._places.get(_place_of(charge, table))
        if minutes is not None:
            partition, whole = _texts(key)
            minutes.at(self._now_ms()).access(partition, whole, *units)

    def _throttled(
        self,
        operation: AnyOperation,
        plan: Any,
        limiter: Limiter,
        refusals: Sequence[Throttling | None],
    ) -> None:
        """Count the keys of a plan that are throttled; a reason for each, or one for all."""
        now_ms, keys, charges = self._now_ms(), operation.keys(plan), operation.charges(plan)
        reasons = refusals if len(refusals) == len(keys) else [*refusals] * len(keys)
        for charge, key, refused in zip(charges, keys, reasons, strict=False):
            resource = limiter.capacity_of(charge.table).resource(charge.index)
            minutes = None if resource is None else self._places.get(resource.arn)
            if minutes is not None and refused is not None and not refused.is_back_pressure:
                minutes.at(now_ms).throttle(*_texts(key))

    def since(self, minute: int) -> list[CountedKeys]:
        """The keys of all tables and indexes that were counted since a minute began."""
        now_ms = self._now_ms()
        return [
            CountedKeys(place=place, rule=rule, minute=at, keys=sketch)
            for place, minutes in self._places.items()
            for at, insights in minutes.since(minute, now_ms)
            for rule, sketch in insights.sketches.items()
            if sketch.total
        ]

    def reports(self) -> list[Contributors]:
        """The most frequent keys of all tables and indexes, by rule and span."""
        now_ms, found = self._now_ms(), []
        for place, minutes in self._places.items():
            arn, _, index = place.partition(_INDEX)
            for span in SPANS:
                for rule, sketch in minutes.last(span, now_ms).sketches.items():
                    if sketch.total:
                        sketch.shrink(KEYS_OF_PAST)
                        found.append(
                            Contributors(
                                table=stored_name_of(arn, separate=self._separate),
                                index=index,
                                rule=rule,
                                minutes=span,
                                total=sketch.total,
                                error=sketch.error,
                                keys=sketch.top(KEYS_OF_PAST),
                            )
                        )
        return found


def _counted(
    admitted: Admitted,
    operation: AnyOperation,
    *,
    tables: ByName = _NO_TABLES,
    only: OpenTable | None = None,
) -> Counted:
    return Counted(
        admitted.plan,
        admitted.charges,
        admitted.limiter,
        admitted.consumed,
        admitted.shard,
        operation=operation,
        tables=tables,
        only=only,
    )


def _place_of(charge: Charge, table: OpenTable) -> str:
    """The table, or the global index; a local index counts for its table."""
    arn, name = table.table.arn, charge.index
    if name is None:
        return arn
    index = table.table.index(name)
    return arn if index is None or index.is_local else f"{arn}{_INDEX}{name}"


def _accessed(
    costs: Sequence[Charge], charges: Sequence[Charge], keys: Sequence[KeyValues]
) -> Iterator[tuple[Charge, KeyValues]]:
    """The charges of a cost with their keys; `keys` are those of the plan's charges."""
    places = {
        (charge.table, charge.position): key for charge, key in zip(charges, keys, strict=True)
    }
    item: KeyValues | None = keys[0] if len(keys) == 1 else None
    for charge in costs:
        if charge.key is not None:
            yield charge, charge.key
            continue
        if charge.index is None:
            item = places.get((charge.table, charge.position), item)
        # What is left are entries in local indexes, and in global ones without insights.
        if item is not None:
            yield charge, item


def _texts(key: KeyValues) -> tuple[str, str | None]:
    """A partition key as text, and the whole key: JSON lists of values."""
    partition, sort = key
    first = [_text(value) for value in partition]
    if sort is None:
        return _json(first), None
    return _json(first), _json(first + [_text(value) for value in sort])


def _text(value: AttributeValue) -> str:
    """The content of a string, number or binary; a long one is cut."""
    (text,) = value.values()
    assert isinstance(text, str), "keys are strings, numbers and binaries"
    if len(text) <= INSIGHT_KEY_CHARS_MAX:
        return text
    digest = blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{text[:INSIGHT_KEY_CHARS_MAX]}… {digest}"


def _json(texts: Sequence[str]) -> str:
    return _encode(texts).decode()


_encode: Final = msgspec.json.Encoder().encode
