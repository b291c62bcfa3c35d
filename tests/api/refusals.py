"""What a client is told when it is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.api.tables import keyed

VALIDATION = "ValidationException"
IN_USE = "ResourceInUseException"
NOT_FOUND = "ResourceNotFoundException"


def refusal(call: Callable[..., Any], /, **request: Any) -> tuple[str, str]:
    """Code and whole text of the refusal of a call, which must be refused."""
    with pytest.raises(ClientError) as refused:
        call(**request)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def table_request(**changes: Any) -> dict[str, Any]:
    """A CreateTable request that is right but for `changes`; a change to None leaves out."""
    request = {"TableName": "never-made", **keyed(pk="S"), **changes}
    return {name: value for name, value in request.items() if value is not None}


def violated(*violations: str) -> tuple[str, str]:
    """The refusal of a request that breaks constraints of the model."""
    noun = "error" if len(violations) == 1 else "errors"
    text = "; ".join(violations)
    return VALIDATION, f"{len(violations)} validation {noun} detected: {text}"


def absent(path: str) -> str:
    """The violation of a required member."""
    return f"Value null at '{path}' failed to satisfy constraint: Member must not be null"


def breaks(value: object, path: str, constraint: str) -> str:
    """The violation of another constraint; `constraint` is what stands after `Member must `."""
    return f"Value '{value}' at '{path}' failed to satisfy constraint: Member must {constraint}"


def brief(value: Any) -> str:
    """The id of a row of a table of texts."""
    return (value if isinstance(value, str) else repr(value))[:40]
