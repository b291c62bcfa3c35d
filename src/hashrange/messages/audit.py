"""Texts of CloudTrail's LookupEvents.

Source: the codes are those of CloudTrail's API model (2026); the texts are our own.
"""


def one_attribute() -> str:
    """More than one lookup attribute."""
    return "You can specify only one lookup attribute."


def invalid_attribute() -> str:
    """A key that is none, or a value without or with too many characters."""
    return "The lookup attribute is not valid."


def invalid_category() -> str:
    """Any EventCategory: there are no events of Insights."""
    return "The event category is not valid: there are no Insights events."


def invalid_max_results() -> str:
    """MaxResults is not from 1 to 50."""
    return "The maximum number of results must be from 1 to 50."


def invalid_time_range() -> str:
    """StartTime after EndTime, or a time that is none."""
    return "The time range is not valid."


def invalid_next_token() -> str:
    """A token that is none, or of a request with other parameters."""
    return "The next token is not valid, or it is of a request with other parameters."


def too_many_lookups() -> str:
    """Two of them run already."""
    return "Rate exceeded"
