"""Calls of IAM as a client: parameters as a form, answers from XML. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

from hashrange.wire.service import Service


class AnswerError(Exception):
    """A refusal by the server, as one line; or an answer that is none of this API."""


def form(service: Service, operation: str, parameters: Mapping[str, Any]) -> bytes:
    """The body of a request."""
    fields = [("Action", operation), ("Version", service.version)]
    for name, value in parameters.items():
        fields += _fields(name, value)
    return urlencode(fields).encode()


def _fields(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _fields(f"{name}.{key}", each)
    elif isinstance(value, list | tuple):
        for place, each in enumerate(value, 1):
            yield from _fields(f"{name}.member.{place}", each)
    elif isinstance(value, bool):
        yield name, str(value).lower()
    else:
        yield name, str(value)


def result_of(operation: str, status: int, body: bytes) -> dict[str, Any]:
    """The members of an answer. Raises AnswerError."""
    try:
        root = ET.fromstring(body)  # noqa: S314 - of a server that the operator has named
    except ET.ParseError as error:
        raise AnswerError(f"the answer, with status {status}, is not XML") from error
    if _name(root) == "ErrorResponse":
        members = {_name(each): each.text or "" for each in root.iter()}
        raise AnswerError(f"{members.get('Code')}: {members.get('Message')}")
    for each in root:
        if _name(each) == f"{operation}Result":
            found = _tree(each)
            return found if isinstance(found, dict) else {}
    return {}


def _tree(element: ET.Element) -> Any:
    """Text, a list of members, or a mapping; an empty list is the empty text."""
    if not len(element):
        return element.text or ""
    if all(_name(each) == "member" for each in element):
        return [_tree(each) for each in element]
    return {_name(each): _tree(each) for each in element}


def _name(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
