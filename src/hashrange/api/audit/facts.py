"""Facts of requests and answers in records beside the parameters of data events. Pure."""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from hashrange.api.audit.events import shown_body
from hashrange.api.audit.parameters import Described
from hashrange.api.audit.statements import REDACTED
from hashrange.errors import ApiError, Fault
from hashrange.limits.access import (
    AUDIT_ECHO_BYTES_MAX,
    AUDIT_MEMBER_BYTES_MAX,
    AUDIT_TEXT_CHARS_MAX,
    FORM_BYTES_MAX,
    FORM_FIELDS_MAX,
)
from hashrange.model.data_types import DATA_TYPES
from hashrange.wire.cbor.reader import MalformedError
from hashrange.wire.cbor_protocol import CBOR_1_1, item_of
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.exchange import Request
from hashrange.wire.forms import parameters
from hashrange.wire.rpc_cbor_protocol import CBOR
from hashrange.wire.service import FORM, ROOT

_ERROR_STATUS: Final = 400
_MS: Final = 1000
_ECHO_CHARS: Final = 32
"""Of the beginning of a text, by which its echo is recognised."""
_ECHOING: Final = frozenset(fault.code for fault in (Fault.VALIDATION, Fault.SERIALIZATION))
"""Faults whose texts may echo values of requests."""
_HIDDEN: Final = "HIDDEN_DUE_TO_SECURITY_REASONS"
_TABLE_MEMBERS: Final = (
    "tableName",
    "tableArn",
    "resourceArn",
    "streamArn",
    "globalTableName",
    "targetTableName",
    "sourceTableName",
    "sourceTableArn",
)
_BACKUP: Final = "backupArn"

_DEPTH_OF_MAPS: Final = 4
"""Item → an attribute → its type M → names in the map."""

_is_secret: Final = re.compile(r"password|secret|token|assertion|code[0-9]?$", re.IGNORECASE).search
_in_xml: Final = re.compile(rb"<Code>([^<]*)</Code>\s*<Message>([^<]*)</Message>").search
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def of_management(body: bytes) -> Described:
    """The parameters of a management event of DynamoDB, and the tables that it is about.

    A request that names a backup is about no table. Source: measured by users, September 2026.
    """
    parameters = shown_body(body, "requestParameters")
    if not isinstance(parameters, dict):
        return Described(None, ())
    if _BACKUP in parameters:
        return Described(parameters, ())
    named = (parameters.get(member) for member in _TABLE_MEMBERS)
    tables = [name for name in named if isinstance(name, str) and "/stream/" not in name]
    return Described(parameters, tuple(dict.fromkeys(tables)))


def of_call(request: Request) -> tuple[str, object]:
    """The operation of a request to another service, and its parameters without secrets."""
    kind = request.headers.get(b"content-type", b"").partition(b";")[0].strip()
    target = request.headers.get(b"x-amz-target")
    if kind == FORM or (target is None and request.path == ROOT):
        return _of_form(request.body)
    named = request.path.rpartition(b"/") if target is None else target.rpartition(b".")
    parameters = shown_body(json_of(kind, request.body), "requestParameters")
    return named[2].decode("latin-1"), without_secrets(parameters)


def json_of(content_type: bytes, body: bytes) -> bytes:
    """A body of CBOR in JSON, with blobs in base64; others as they are, malformed ones empty."""
    if content_type not in {CBOR, CBOR_1_1} or len(body) > AUDIT_MEMBER_BYTES_MAX:
        return body
    units = _MS if content_type == CBOR_1_1 else 1
    try:
        return _encode(item_of(body, len(body), units_per_second=units))
    except (MalformedError, TypeError, ValueError, UnicodeError):
        return b""


def _of_form(body: bytes) -> tuple[str, object]:
    """The action of a form and its parameters without secrets; of one that is too large neither."""
    if len(body) > FORM_BYTES_MAX or body.count(b"&") >= FORM_FIELDS_MAX:
        return "", None
    try:
        members = dict(parameters(body))
    except ApiError:  # as it was sent: the refusal follows in the same event
        members = dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True))
    name = members.pop("Action", "")
    members.pop("Version", None)
    shown = shown_body(_encode(members), "requestParameters")
    return name if isinstance(name, str) else "", without_secrets(shown) or None


def without_secrets(parameters: object) -> object:
    """Parameters whose members that may be secrets are hidden, at any depth."""
    if isinstance(parameters, dict):
        return {
            name: _HIDDEN if _is_secret(name) else without_secrets(value)
            for name, value in parameters.items()
        }
    if isinstance(parameters, list):
        return [without_secrets(each) for each in parameters]
    return parameters


def error_of(status: int, body: bytes) -> tuple[str | None, str | None]:
    """Code and text of a refusal, in JSON or XML."""
    if status < _ERROR_STATUS:
        return None, None
    in_xml = _in_xml(body)
    if in_xml is not None:
        code, message = (part.decode("utf-8", "replace") for part in in_xml.groups())
        return code, message or None
    try:
        error = _decode(body)
    except DECODE_ERRORS:
        return str(status), None
    message = error.get("message", error.get("Message"))
    code = str(error.get("__type", status)).rpartition("#")[2]
    return code, None if message is None else str(message)


def safe_message(code: str | None, message: str | None, body: bytes) -> str | None:
    """The text of a refusal, redacted if it echoes what may be the value of an attribute."""
    if message is None or code not in _ECHOING:
        return message
    if len(body) > AUDIT_ECHO_BYTES_MAX:
        return REDACTED
    texts = [text[:_ECHO_CHARS] for text in _texts_of(body)]
    recorded = message[: AUDIT_TEXT_CHARS_MAX + _ECHO_CHARS]  # a value may begin at its end
    is_safe = bool(texts) and not any(text in recorded for text in texts if text)
    return message if is_safe else REDACTED


def _texts_of(body: bytes) -> Iterator[str]:
    """The texts in a body that may be of values, names within maps too; none of a malformed body.

    Members of requests and names of attributes are not among them, but for some of transactions.
    """
    try:
        waiting: list[tuple[int, object]] = [(1, msgspec.json.decode(body))]
    except DECODE_ERRORS:
        return
    while waiting:
        depth, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(depth + 1, each) for each in value.values()]
            if depth >= _DEPTH_OF_MAPS:
                yield from (name for name in value if name not in DATA_TYPES)
        elif isinstance(value, list):
            waiting += [(depth, each) for each in value]
        elif isinstance(value, str):
            yield value
