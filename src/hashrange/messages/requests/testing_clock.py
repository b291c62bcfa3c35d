"""Texts of `/testing/clock`, which DynamoDB does not have."""

from hashrange.messages.text import Text

# The body of a request is not JSON, or has other members.
body_unreadable = Text('{reason}; the body is JSON like {{"days": 2, "hours": 1, "settle": true}} or {{"reset": true}}')


def nothing_to_do() -> str:
    """Neither a unit of time nor `reset`."""
    return body_unreadable("The body names neither a unit of time nor reset")


def reset_with_units() -> str:
    """`reset` beside a unit of time."""
    return body_unreadable("reset and a unit of time exclude each other")


# The sum of the units is negative.
backward = Text('The clock only moves forward; {"reset": true} sets it to the time of the machine')
# The sum of all moves exceeds OFFSET_MS_MAX.
too_far = Text("The clock can be at most 36525 days (100 years) ahead of the machine's")
# The clock was moved, and the storage failed in the work that was due.
storage_failed = Text("The clock has been moved, but the storage failed during the work that was due")
# The process that moves the clock has ended, or is being replaced.
writer_gone = Text("The writer process is being replaced; whether the clock has been moved is not known")
