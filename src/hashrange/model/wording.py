"""The two wordings in which DynamoDB refuses a request."""

from enum import Enum, auto


class Wording(Enum):
    """The validation layer of DynamoDB that checks an operation, which decides error texts.

    Since June 2026 the service replaces its request validation operation by operation. Both layers
    have the same rules, except for the range of exponents of numbers, and different error texts.

    Source: measured against the service by users, 2026.
    """

    CURRENT = auto()
    """Operations on one item, batches of gets, Query."""
    OLDER = auto()
    """Batches of writes, Scan, transactions, PartiQL."""
