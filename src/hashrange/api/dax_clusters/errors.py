"""Errors of the control plane of DAX, whose names and bodies are not those of DynamoDB."""

from typing import Final

from hashrange.errors import ApiError

INVALID_VALUE: Final = "InvalidParameterValueException"
INVALID_COMBINATION: Final = "InvalidParameterCombinationException"


class DaxError(ApiError):
    """A refusal of the API."""


def invalid(text: str) -> DaxError:
    """An InvalidParameterValueException."""
    return DaxError(INVALID_VALUE, text)


def contradictory(text: str) -> DaxError:
    """An InvalidParameterCombinationException."""
    return DaxError(INVALID_COMBINATION, text)
