"""Texts of `/testing/clock`, which DynamoDB does not have."""


def body_unreadable(reason: str) -> str:
    """The body of a request is not JSON, or has other members."""
    return (
        f"{reason}; the body is JSON like "
        '{"days": 2, "hours": 1, "settle": true} or {"reset": true}'
    )


def nothing_to_do() -> str:
    """Neither a unit of time nor `reset`."""
    return body_unreadable("The body names neither a unit of time nor reset")


def reset_with_units() -> str:
    """`reset` beside a unit of time."""
    return body_unreadable("reset and a unit of time exclude each other")


def backward() -> str:
    """The sum of the units is negative."""
    return 'The clock only moves forward; {"reset": true} sets it to the time of the machine'


def too_far() -> str:
    """The sum of all moves exceeds OFFSET_MS_MAX."""
    return "The clock can be at most 36525 days (100 years) ahead of the machine's"


def storage_failed() -> str:
    """The clock was moved, and the storage failed in the work that was due."""
    return "The clock has been moved, but the storage failed during the work that was due"


def writer_gone() -> str:
    """The process that moves the clock has ended, or is being replaced."""
    return "The writer process is being replaced; whether the clock has been moved is not known"
