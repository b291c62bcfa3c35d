"""The rules that need no server, in one list. Pure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from hashrange.tools.checking import entity_rules, naming, pattern_rules, table_rules
from hashrange.tools.checking.findings import Finding
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
