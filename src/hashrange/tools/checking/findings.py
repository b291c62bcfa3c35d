"""The findings of a check. Each kind has its severity here."""

from typing import Final

import msgspec

from hashrange.tools.rules import RULES, Severity

_ERRORS: Final = (
    *("duplicate-table", "duplicate-index", "duplicate-entity", "duplicate-pattern"),
    *("unknown-table", "unknown-entity", "unknown-operation", "unknown-index"),
    *("missing-key", "optional-key", "unknown-attribute", "unknown-type", "key-type"),
    *("time-to-live-type", "sample-without-key", "sample-key-type", "sample-type"),
    *("sample-refused", "samples-collide", "empty-key", "key-too-long", "item-too-large"),
    *("too-many-global-indexes", "too-many-local-indexes", "index-of-no-items"),
    *("collection-growth", "table-refused"),
    *("no-key-serves", "condition-on-no-key", "partition-key-missing", "partition-key-range"),
    *("sort-key-gap", "incomplete-key", "unknown-condition", "condition-type"),
    *("begins-with-on-number", "consistent-global-index", "index-not-readable"),
    *("attribute-not-projected", "filter-on-key", "hot-key", "batch-too-large"),
    *("no-value", "pattern-refused", "drift"),
)
_WARNINGS: Final = (
    *("unused-entity", "time-to-live-unused", "scan", "filter-drops-most"),
    *("fetched-from-table", "several-requests", "nothing-found", "condition-failed", "stale-key"),
)
SEVERITIES: Final[dict[str, Severity]] = {
    **dict.fromkeys(_ERRORS, "error"),
    **dict.fromkeys(_WARNINGS, "warning"),
    **{rule.id: rule.severity for rule in RULES},
}
"""The severities of all kinds: those of checks, and the rules of table design."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """An error or a warning.

    Attributes:
        kind: one of `SEVERITIES`.
        place: the part of the model, as `pattern Open orders`.
        text: what is wrong.
    """

    kind: str
    place: str
    text: str

    @property
    def severity(self) -> Severity:
        """Whether it is an error or a warning."""
        return SEVERITIES[self.kind]

    @property
    def is_error(self) -> bool:
        """Whether it is an error."""
        return self.severity == "error"
