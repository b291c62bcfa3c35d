"""Errors of the control plane of DAX, whose names and bodies are not those of DynamoDB."""

from typing import Final

INVALID_VALUE: Final = "InvalidParameterValueException"
INVALID_COMBINATION: Final = "InvalidParameterCombinationException"


class DaxError(Exception):
    """A refusal of the API.

    Args:
        name: of the exception in the API's model, such as `ClusterNotFoundFault`.
        text: the member `message`.
    """

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name
        self.text = text


def invalid(text: str) -> DaxError:
    """An InvalidParameterValueException."""
    return DaxError(INVALID_VALUE, text)


def contradictory(text: str) -> DaxError:
    """An InvalidParameterCombinationException."""
    return DaxError(INVALID_COMBINATION, text)
