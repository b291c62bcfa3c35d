"""Remedies of each kind of finding. Rules of table design have remedies of their own."""

from collections.abc import Mapping
from typing import Final

from hashrange.tools.rules import RULES

_SAME_NAME: Final = "Give one of them another name"
_NAMED: Final = "Correct the name, or add what it names"
_TEMPLATE: Final = "Add the attribute to templates or attributes of the entity"
_KEY: Final = "Add or correct the condition in key, or query an index whose key serves it"
_SMALLER: Final = "Split the item into several, or store what is large elsewhere"
REMEDIES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("duplicate-table", "duplicate-index"), _SAME_NAME),
    **dict.fromkeys(("duplicate-entity", "duplicate-pattern"), _SAME_NAME),
    **dict.fromkeys(("unknown-table", "unknown-entity", "unknown-index"), _NAMED),
    "unknown-operation": "Use an operation that reads or writes items, such as Query or PutItem",
    "missing-key": _TEMPLATE,
    "optional-key": "Remove it from optional: each item needs the key of the table",
    "unknown-attribute": "Add it to the attributes of the entity, or correct the template",
    "unknown-type": "Use S, N, B, BOOL, NULL, SS, NS, BS, L or M",
    "key-type": "Give the attribute the type of the key, or change the type of the key",
    "time-to-live-type": "Give the attribute the type N, with seconds since 1970",
    "time-to-live-unused": "Add the attribute to an entity, or remove time_to_live",
    "sample-without-key": "Add the attribute to the sample, or a template of it to the entity",
    "sample-key-type": "Give the value the type of the key",
    "sample-type": "Change the value, or the type that the entity declares",
    "sample-refused": "Correct the value",
    "samples-collide": "Change a value that their keys are made of",
    "empty-key": "Give it a value: DynamoDB refuses empty keys",
    "key-too-long": "Shorten it, or use a hash of it as the key",
    "item-too-large": _SMALLER,
    "too-many-global-indexes": "Overload indexes: several entities can share the key of one",
    "too-many-local-indexes": "Use global indexes",
    "index-of-no-items": "Add its key to an entity, or remove the index",
    "collection-growth": "Let items expire, divide the partition key, or use global indexes",
    "table-refused": "Change the table as DynamoDB says",
    "no-key-serves": "Add an index whose key the conditions name, or change the key of the table",
    **dict.fromkeys(("condition-on-no-key", "incomplete-key", "sort-key-gap"), _KEY),
    "partition-key-missing": "Add a condition of equality on the partition key",
    "partition-key-range": "Compare the partition key with =, and the sort key with others",
    "unknown-condition": "Use =, <, <=, >, >=, begins_with or between",
    "condition-type": "Give the value the type of the key",
    "begins-with-on-number": "Use between, or make the sort key a text padded with zeros",
    "consistent-global-index": "Remove consistent, or read the table",
    "index-not-readable": "Use Query, or read the table",
    "attribute-not-projected": "Project it into the index, or leave it out of returns",
    "filter-on-key": "Put the condition into key",
    "hot-key": "Divide the key into shards, or put a cache in front of it",
    "batch-too-large": "Send several requests",
    "no-value": "Add a value for the placeholder, or a sample of the entity",
    "pattern-refused": "Change the request as DynamoDB says",
    "drift": "Change the table, or the model",
    "unused-entity": "Add its access patterns, or remove it",
    "scan": "Use Query with a key or an index, if it is not a rare task of a whole table",
    "filter-drops-most": "Put what the filter compares into a key",
    "fetched-from-table": "Project the attributes: each item costs a read of the table",
    "several-requests": "Read pages, or make the item collection smaller",
    "nothing-found": "Add a sample that the pattern finds",
    "condition-failed": "Change the condition, or the samples",
    "stale-key": "Set the key attribute in the same update",
    **{rule.id: rule.remedy for rule in RULES},
}
"""A sentence for each of `findings.SEVERITIES`, without its full stop."""
