"""The results of a check, as data."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from hashrange.tools.checking.findings import Finding

Status: TypeAlias = Literal["ok", "error", "not run"]


class PatternResult(msgspec.Struct, frozen=True, kw_only=True):
    """The run of an access pattern.

    Attributes:
        name: the name of the pattern.
        operation: the operation.
        table: the table of the model.
        index: the index that was read.
        status: `ok`, `error`, or `not run` for a pattern with errors or without a request.
        requests: the number of requests that one result takes.
        items: items that were returned or written.
        scanned: items that were read, before the filter.
        read_units: consumed read units of the run.
        write_units: consumed write units of the run, those of indexes included.
        milliseconds: the time until the last answer.
        rate: calls a second, as the model says.
        monthly_read_units: read units of a month at the rate, by the sizes that the model says.
        monthly_write_units: write units of a month, those of indexes included.
        monthly: the on-demand price of a month in US dollars; None without a rate.
    """

    name: str
    operation: str
    table: str | None = None
    index: str | None = None
    status: Status = "ok"
    requests: int = 0
    items: int = 0
    scanned: int = 0
    read_units: float = 0.0
    write_units: float = 0.0
    milliseconds: float = 0.0
    rate: float = 0.0
    monthly_read_units: float = 0.0
    monthly_write_units: float = 0.0
    monthly: float | None = None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check.

    Attributes:
        model: the name of the model.
        endpoint: the server, or `memory`.
        tables: the names of the tables.
        samples: items that were loaded.
        patterns: the runs of the access patterns, in the order of the model.
        findings: errors and warnings.
        monthly: the on-demand price of all patterns in a month; None if none has a rate.
    """

    model: str
    endpoint: str
    tables: Sequence[str]
    samples: int = 0
    patterns: Sequence[PatternResult] = ()
    findings: Sequence[Finding] = ()
    monthly: float | None = None

    @property
    def has_errors(self) -> bool:
        """Whether there is a finding that is an error."""
        return any(finding.is_error for finding in self.findings)


def as_members(report: Report) -> dict[str, Any]:
    """The report for `--json`: findings with their severities."""
    members: dict[str, Any] = msgspec.to_builtins(report)
    members["ok"] = not report.has_errors
    members["findings"] = [
        {"severity": finding.severity, **each}
        for finding, each in zip(report.findings, members["findings"], strict=True)
    ]
    return members
