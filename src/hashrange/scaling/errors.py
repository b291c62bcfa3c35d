"""Errors of Application Auto Scaling, whose names and bodies are not those of DynamoDB."""

from collections.abc import Mapping


class ScalingError(Exception):
    """A refusal of the API.

    Args:
        name: of the exception in the API's model, such as `ObjectNotFoundException`.
        text: the member `Message`.
        members: further members of the body.
    """

    def __init__(self, name: str, text: str, members: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.name = name
        self.text = text
        self.members = members or {}


def invalid(text: str) -> ScalingError:
    """A ValidationException."""
    return ScalingError("ValidationException", text)


def not_found(text: str) -> ScalingError:
    """An ObjectNotFoundException."""
    return ScalingError("ObjectNotFoundException", text)


def limit_exceeded(text: str) -> ScalingError:
    """A LimitExceededException."""
    return ScalingError("LimitExceededException", text)
