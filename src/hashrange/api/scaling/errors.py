"""Errors of Application Auto Scaling, whose names and bodies are not those of DynamoDB."""

from hashrange.errors import ApiError


class ScalingError(ApiError):
    """A refusal of the API."""


def invalid(text: str) -> ScalingError:
    """A ValidationException."""
    return ScalingError("ValidationException", text)


def not_found(text: str) -> ScalingError:
    """An ObjectNotFoundException."""
    return ScalingError("ObjectNotFoundException", text)


def limit_exceeded(text: str) -> ScalingError:
    """A LimitExceededException."""
    return ScalingError("LimitExceededException", text)
