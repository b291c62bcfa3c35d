"""The header X-Amz-Target, which names an operation of a service."""

from typing import Final

from hashrange.model.operations import OPERATION_FACTS, OperationFacts

_TARGETS: Final = {
    name: f"{facts.service.value}.{name}".encode() for name, facts in OPERATION_FACTS.items()
}
_OPERATIONS: Final = {target: OPERATION_FACTS[name] for name, target in _TARGETS.items()}


def target_of(operation: str) -> bytes:
    """The value of the header for an operation."""
    return _TARGETS[operation]


def operation_of(target: bytes | None) -> OperationFacts | None:
    """The operation of a value of the header, also one that this server does not have.

    Args:
        target: the header's value, without white space around it; None if there is no header.

    Returns:
        None for a prefix or a name that the API does not have (UnknownOperationException). Names
        are case-sensitive.
    """
    return None if target is None else _OPERATIONS.get(target)
