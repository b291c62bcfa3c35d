"""Checks a model: by rules, and by a run of its access patterns on a server."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from hashrange.tools.checking import entity_rules, naming, pattern_rules, table_rules
from hashrange.tools.checking.findings import Finding
from hashrange.tools.checking.results import PatternResult, Report
from hashrange.tools.checking.running import load_samples, run_patterns, scratch_tables
from hashrange.tools.copying.definitions import Definition, definition_of, differences
from hashrange.tools.copying.place import Pause, Place, RefusedError, TableRef, ask
from hashrange.tools.copying.tables import definition_of_table, describe_table
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.schema import Model

Rule: TypeAlias = Callable[[Model], Iterable[Finding]]

RULES: Final[Sequence[Rule]] = (
    *(naming.duplicates, naming.references),
    *(entity_rules.templates, entity_rules.types, entity_rules.time_to_live, entity_rules.sizes),
    entity_rules.samples,
    *(table_rules.index_counts, table_rules.index_items, table_rules.entity_uses),
    *(table_rules.local_collections, table_rules.design),
    pattern_rules.patterns,
)


def found_by_rules(model: Model) -> list[Finding]:
    """The findings of all rules."""
    return [finding for rule in RULES for finding in rule(model)]


_ABSENT: Final = ("UnknownOperationException", "AccessDeniedException")


async def drift_of(table: TableDefinition, place: Place, ref: TableRef) -> list[Finding]:
    """The differences of a table. Raises CopyError.

    Args:
        table: the table of the model.
        place: the server.
        ref: the table there.
    """
    subject = f"table {table.name}"
    shown = await describe_table(place, ref)
    if shown is None:
        return [Finding(kind="drift", place=subject, text="the server has no such table")]
    actual = await definition_of_table(place, ref, shown)
    wanted = wanted_definition(table)
    for member in ("SSESpecification", *(() if table.request.get("Tags") else ("Tags",))):
        wanted.pop(member, None)
        actual.pop(member, None)
    texts = differences(wanted, actual)
    if table.recovery_days is not None and not await _has_recovery(place, ref):
        texts.append("point-in-time recovery is off")
    return [Finding(kind="drift", place=subject, text=text) for text in texts]


def wanted_definition(table: TableDefinition) -> Definition:
    """The definition of a table of a model, in the normal form of copies."""
    request = table.request
    shown: dict[str, Any] = {
        **request,
        "BillingModeSummary": {"BillingMode": request.get("BillingMode")},
        "TableClassSummary": {"TableClass": request.get("TableClass")},
    }
    expiry = (
        {"TimeToLiveStatus": "ENABLED", "AttributeName": table.time_to_live}
        if table.time_to_live
        else {}
    )
    return definition_of(shown, request.get("Tags") or (), expiry)


async def _has_recovery(place: Place, ref: TableRef) -> bool:
    request = {"TableName": ref.name}
    try:
        answer = await ask(place, ref.caller, "DescribeContinuousBackups", request)
    except RefusedError as error:
        if error.code in _ABSENT:
            return False
        raise
    described = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription") or {}
    return described.get("PointInTimeRecoveryStatus") == "ENABLED"


SCRATCH: Final = "scratch-"
"""The beginning of the names of scratch tables on a server that has other tables."""
_PATTERN: Final = "pattern "


class Server(Place, Protocol):
    """A server whose tables can be named."""

    def named(self, name: str) -> TableRef:
        """A reference to a table of that name."""


async def check(
    model: Model,
    server: Server,
    *,
    prefix: str,
    pause: Pause,
    monotonic_ns: Callable[[], int],
) -> Report:
    """Check a model on a server; its tables are removed at the end. Raises CopyError.

    Args:
        model: the model.
        server: any server of the API.
        prefix: the beginning of the names of the tables.
        pause: waits.
        monotonic_ns: a clock.
    """
    found = found_by_rules(model)
    broken = {
        finding.place.removeprefix(_PATTERN)
        for finding in found
        if finding.is_error and finding.place.startswith(_PATTERN)
    }
    async with scratch_tables(
        model, server, server.named, prefix, pause=pause, monotonic_ns=monotonic_ns
    ) as (scratch, refused):
        found += refused
        samples, of_samples = await load_samples(model, scratch)
        known = {finding.place for finding in found}
        found += [each for each in of_samples if each.place not in known]
        results, of_patterns = await run_patterns(model, scratch, broken)
        found += of_patterns
    return Report(
        model=model.name,
        endpoint=server.shown,
        tables=[table.name for table in model.tables],
        samples=samples,
        patterns=results,
        findings=_sorted(found),
        monthly=_sum(results),
    )


async def compare_live(model: Model, server: Server) -> Report:
    """The findings of the rules, and the drift of the tables of a server. Raises CopyError."""
    found = found_by_rules(model)
    for table in model.tables:
        found += await drift_of(table, server, server.named(table.name))
    return Report(
        model=model.name,
        endpoint=server.shown,
        tables=[table.name for table in model.tables],
        findings=_sorted(found),
    )


def _sorted(found: list[Finding]) -> list[Finding]:
    """Errors first; else in the order in which they were found."""
    return sorted(found, key=lambda finding: not finding.is_error)


def _sum(results: list[PatternResult]) -> float | None:
    prices = [result.monthly for result in results if result.monthly is not None]
    return sum(prices) if prices else None
