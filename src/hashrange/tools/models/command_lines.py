"""Commands of the AWS CLI as requests, and back: `aws dynamodb query --table-name …`. Pure."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

from hashrange.tools.models.files import json_text
from hashrange.tools.models.schema import ModelError

_LENGTH_MAX: Final = 100_000
_WORDS: Final = re.compile(r"[A-Z][a-z]*")
_NUMBERS: Final = {"Limit", "Segment", "TotalSegments"}
_IGNORED: Final = {
    "Output",
    "Query",
    "Region",
    "Profile",
    "EndpointUrl",
    "NoCliPager",
    "CliInputJson",
}
"""Options of the command line itself, which no request has."""


def request_of(command: str) -> tuple[str, dict[str, Any]]:
    """The operation and the request of a command. Raises ModelError."""
    if len(command) > _LENGTH_MAX:
        raise ModelError("the command is too long")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ModelError(f"{error}: {command[:60]}") from error
    if words[:2] != ["aws", "dynamodb"] or len(words) < 3:  # noqa: PLR2004 - aws dynamodb query
        raise ModelError(f"it does not begin with aws dynamodb: {command[:60]}")
    operation = _pascal(words[2])
    request: dict[str, Any] = {}
    at = 3
    while at < len(words):
        name, equals, text = words[at].partition("=")
        if not name.startswith("--"):
            raise ModelError(f"{words[at][:60]} is not an option of aws dynamodb {words[2]}")
        at += 1
        if not equals and at < len(words) and not words[at].startswith("--"):
            text, equals = words[at], "="
            at += 1
        member = _pascal(name.removeprefix("--"))
        if member in _IGNORED:
            continue
        if equals:
            request[member] = _value(member, text)
        else:
            request[member.removeprefix("No")] = not member.startswith("No")
    return operation, request


def _value(member: str, text: str) -> Any:
    if text[:1] in {"{", "["}:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"--{_kebab(member)}: it is not JSON: {error}") from error
    if member in _NUMBERS and text.isdecimal():
        return int(text)
    return text


def command_of(operation: str, request: Mapping[str, Any]) -> str:
    """The command that sends a request."""
    words = ["aws", "dynamodb", _kebab(operation)]
    for member, value in request.items():
        option = f"--{_kebab(member)}"
        match value:
            case True:
                words.append(option)
            case False:
                words.append(f"--no-{option[2:]}")
            case str():
                words += [option, value]
            case dict() | list():
                words += [option, json_text(value, indent=-1)]
            case _:
                words += [option, str(value)]
    return shlex.join(words)


def _pascal(text: str) -> str:
    return "".join(word.capitalize() for word in text.split("-"))


def _kebab(text: str) -> str:
    return "-".join(_WORDS.findall(text)).lower()
