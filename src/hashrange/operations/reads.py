"""Which operations only read, by their names; of all APIs on the port.

The audit log has the answer in its records, and a console that only reads refuses the others.
"""

from typing import Final

_READING: Final = frozenset({"BatchGetItem", "Query", "Scan", "TransactGetItems"})
_READING_BEGINNINGS: Final = ("Describe", "Get", "List", "Lookup", "Simulate")


def is_read_only(operation: str) -> bool:
    """Whether an operation only reads; statements of PartiQL count as writes, as on AWS."""
    return operation in _READING or operation.startswith(_READING_BEGINNINGS)
