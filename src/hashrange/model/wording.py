"""The two wordings in which DynamoDB refuses a request."""

from enum import Enum, auto


class Wording(Enum):
    """Which of DynamoDB's validation layers speaks for an operation.

    Since June 2026 the service replaces its request validation operation by operation; both
    layers keep the same rules and differ in texts (and in how far exponents of numbers reach).

    Source: measured against the service by users, 2026.
    """

    CURRENT = auto()
    """PutItem, UpdateItem, DeleteItem, GetItem, BatchGetItem, Query."""
    OLDER = auto()
    """BatchWriteItem, Scan, transactions, PartiQL."""
