"""Answers and errors of the query protocol, in XML. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Final

from hashrange.errors import ApiError

XML: Final = b"text/xml"
_SERVER_ERRORS: Final = 500
_not_in_xml: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def answer(
    operation: str, namespace: str, result: Mapping[str, Any] | None, request_id: str
) -> bytes:
    """The answer of an operation.

    Args:
        operation: its name.
        namespace: of the API.
        result: texts, numbers, booleans, mappings and lists of them, by the names of members; a
            member that is None is left out. None for an operation that returns nothing.
        request_id: of the request.
    """
    body = "" if result is None else _element(f"{operation}Result", result)
    metadata = _element("ResponseMetadata", {"RequestId": request_id})
    name = f"{operation}Response"
    return f'<{name} xmlns="{namespace}">{body}{metadata}</{name}>\n'.encode()


def error_answer(error: ApiError, namespace: str, request_id: str) -> bytes:
    """The answer that refuses a request."""
    kind = "Receiver" if error.status >= _SERVER_ERRORS else "Sender"
    members = {"Type": kind, "Code": error.code, "Message": error.text}
    body = _element("Error", members) + _element("RequestId", request_id)
    return f'<ErrorResponse xmlns="{namespace}">{body}</ErrorResponse>\n'.encode()


def _element(name: str, value: Any) -> str:
    return f"<{name}>{_content(value)}</{name}>"


def _content(value: Any) -> str:
    if isinstance(value, Mapping):
        return "".join(_element(key, each) for key, each in value.items() if each is not None)
    if isinstance(value, list | tuple):
        return "".join(_element("member", each) for each in value)
    if isinstance(value, bool):
        return str(value).lower()
    return _not_in_xml.sub("\ufffd", str(value)).translate(_ESCAPES)
