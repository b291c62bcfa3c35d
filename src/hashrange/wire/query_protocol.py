"""The query protocol of AWS: forms come in, XML goes out. Pure.

Members are read and checked in the order in which they were sent, and the first that is wrong is
reported. Source: recordings of IAM and STS, September 2026.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import msgspec

from hashrange.errors import ApiError
from hashrange.messages import identities as messages
from hashrange.messages import wire as texts
from hashrange.model.times import iso_instant, nearest_ms
from hashrange.wire.echo import lower_first
from hashrange.wire.exchange import Headers, Request
from hashrange.wire.form_members import converted
from hashrange.wire.forms import IDENTITY_FORMS, FormBounds, Tree, parameters
from hashrange.wire.member_types import Scalar, structure_of
from hashrange.wire.rules import Form, Required, Rows
from hashrange.wire.service import FORM, ROOT, AnyServiceOperation
from hashrange.wire.typed_answers import Entries, written
from hashrange.wire.violations import first_refusal

XML: Final = b"text/xml"
_SERVER_ERRORS: Final = 500
_not_in_xml: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def answer_xml(
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


def error_xml(error: ApiError, namespace: str, request_id: str) -> bytes:
    """The answer that refuses a request."""
    kind = "Receiver" if error.status >= _SERVER_ERRORS else "Sender"
    members = {"Type": kind, "Code": error.code, "Message": error.text, **error.members}
    body = _element("Error", members) + _element("RequestId", request_id)
    return f'<ErrorResponse xmlns="{namespace}">{body}</ErrorResponse>\n'.encode()


def _element(name: str, value: Any) -> str:
    return f"<{name}>{_content(value)}</{name}>"


def _content(value: Any) -> str:
    if isinstance(value, Entries):
        pairs = ({"key": name, "value": each} for name, each in value.items())
        return "".join(_element("entry", each) for each in pairs)
    if isinstance(value, Mapping):
        return "".join(_element(key, each) for key, each in value.items() if each is not None)
    if isinstance(value, list | tuple):
        return "".join(_element("member", each) for each in value)
    if isinstance(value, bool):
        return str(value).lower()
    return _not_in_xml.sub("\ufffd", str(value)).translate(_ESCAPES)


_PROTOCOL: Final = frozenset({"Action", "Version"})


class QueryProtocol(msgspec.Struct, frozen=True, kw_only=True):
    """See `hashrange.wire.service.ServiceProtocol`.

    Attributes:
        namespace: of the XML.
        version: that each request names.
        bounds: of forms.
        checks_members: the constraints of each member are checked as it is read, as IAM does.
            Otherwise they are checked together, as in other protocols, and members that the
            operation does not have are ignored.
    """

    namespace: str
    version: str
    bounds: FormBounds = IDENTITY_FORMS
    checks_members: bool = True
    path: ClassVar[bytes] = ROOT
    content_type: ClassVar[bytes] = FORM
    answer_type: ClassVar[bytes] = XML
    answer_headers: ClassVar[Headers] = ()
    target: ClassVar[bytes | None] = None
    sends_request_id: ClassVar[bool] = True

    def call(self, request: Request) -> tuple[str, dict[str, Tree]]:
        """The action and the parameters of a form. Raises ApiError."""
        tree = parameters(request.body, self.bounds)
        name, version = tree.get("Action"), tree.get("Version")
        if isinstance(name, str) and version == self.version:
            return name, tree
        raise ApiError("InvalidAction", messages.operation_unknown(str(name), str(version)))

    def read(self, _name: str, operation: AnyServiceOperation, tree: Mapping[str, Tree]) -> Any:
        """The request. Raises ApiError."""
        if self.checks_members:
            return request_of(operation, tree)
        members = converted(
            dict(tree), structure_of(operation.request), operation.request.__name__, is_partial=True
        )
        return msgspec.convert(members, operation.request)

    def answer(
        self, name: str, answer: msgspec.Struct | Mapping[str, Any] | None, request_id: str
    ) -> bytes:
        """The body of an answer."""
        members = written(answer, _scalar) if isinstance(answer, msgspec.Struct) else answer
        return answer_xml(name, self.namespace, members, request_id)

    def refusal(self, error: ApiError, request_id: str) -> bytes:
        """The body of a refusal."""
        return error_xml(error, self.namespace, request_id)


def _scalar(value: Any, kind: Scalar) -> Any:
    return iso_instant(nearest_ms(value)) if kind is Scalar.DATE else value


def request_of(operation: AnyServiceOperation, tree: Mapping[str, Tree]) -> Any:
    """The request of an operation from the parameters of a form. Raises ApiError."""
    structure, rows = structure_of(operation.request), operation.constraints
    required = {row.name for row in rows.rows if isinstance(row.rule, Required)}
    missing = [
        texts.value_null(lower_first(name), texts.not_null())
        for name, attribute in structure.attributes.items()
        if attribute in required and name not in tree
    ]
    if missing:
        raise _invalid(texts.envelope(missing))
    for name in tree:
        if name not in structure.members and name not in _PROTOCOL:
            raise ApiError("InvalidInput", messages.not_supported(name))
    members: dict[str, Any] = {}
    for name, value in tree.items():
        if name in structure.members:
            member = {
                name: converted(value, structure.members[name], lower_first(name), is_partial=False)
            }
            _check(msgspec.convert(member, operation.request), rows, structure.attributes[name])
            members |= member
    return msgspec.convert(members, operation.request)


def _check(request: object, rows: Rows, attribute: str) -> None:
    """Check a request that has one member only. Raises ApiError."""
    own = Rows(
        tuple(
            row for row in rows.rows if row.name == attribute and not isinstance(row.rule, Required)
        )
    )
    if not own.hold(request):
        raise _invalid(first_refusal(request, own, Form.UNECHOED))


def _invalid(text: str) -> ApiError:
    return ApiError("ValidationError", text)
