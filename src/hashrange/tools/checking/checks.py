"""Checks a model: by rules, and by a run of its access patterns on a server."""

from collections.abc import Callable
from typing import Final, Protocol

from hashrange.tools.checking.drift import drift_of
from hashrange.tools.checking.findings import Finding
from hashrange.tools.checking.results import PatternResult, Report
from hashrange.tools.checking.rules import found_by_rules
from hashrange.tools.checking.running import load_samples, run_patterns, scratch_tables
from hashrange.tools.copying.place import Pause, Place, TableRef
from hashrange.tools.models.schema import Model

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
