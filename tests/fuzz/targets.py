"""The pure parsers as functions of bytes, for searches that are guided by coverage.

A target returns, or raises one of its refusals; anything else is a fault.
"""

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.documents import parse
from hashrange.access.signatures.canonical import canonical_path, canonical_query
from hashrange.access.signatures.sigv4 import caller
from hashrange.api.audit.statements import statement_of
from hashrange.api.aws_services.cloudwatch.expressions import ExpressionError
from hashrange.api.aws_services.cloudwatch.expressions import parsed as metric_math
from hashrange.api.aws_services.cloudwatch.search import search_of
from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.backups.imports.ion_text import ion_line_of
from hashrange.backups.imports.item_formats import CsvReader, line_of
from hashrange.backups.imports.lines import LineSplitter, Refused, RowSplitter, apart
from hashrange.dax.protocol import expressions as dax_expressions
from hashrange.dax.protocol.values import encode_value, read_value
from hashrange.errors import ApiError, DynamoError
from hashrange.expressions.partiql.prepared import prepared
from hashrange.expressions.partiql.statement_parser import parsed as statement
from hashrange.expressions.program import Sources, bind
from hashrange.model.canonical import canonical_value, encoded_item
from hashrange.model.numbers import canonical_number, sort_key
from hashrange.model.wording import Wording
from hashrange.tools.models.files import parsed
from hashrange.tools.models.reading import model_of
from hashrange.tools.models.schema import ModelError
from hashrange.wire.arns import owner_of, resource_of_arn, table_name_of
from hashrange.wire.cbor.reader import IncompleteError, MalformedError, read_item
from hashrange.wire.cbor.scanner import Scanner
from hashrange.wire.codec import Decoder
from hashrange.wire.forms import parameters
from tests.fuzz.mutations import CORPUS
from tests.fuzz.test_dax import SESSIONS, played

_NAMES = {"#a": "a", "#b": "a.b"}
_VALUES = {":s": {"S": "S"}, ":n": {"N": "1"}, ":l": {"L": [{"N": "1"}]}, ":ss": {"SS": ["a"]}}


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _expression(parameter: str) -> Callable[[bytes], object]:
    def target(data: bytes) -> object:
        text = _text(data)
        names = {name: value for name, value in _NAMES.items() if name in text}
        values = {name: value for name, value in _VALUES.items() if re.search(rf"{name}\b", text)}
        sources = Sources(**{parameter: text})
        return bind(sources, names or None, values or None, wording=Wording.CURRENT)

    return target


def _partiql(data: bytes) -> None:
    read = statement(_text(data))
    prepared(_text(data), [{"S": "x"}] * read.parameters)


def _request(data: bytes) -> None:
    """A body of the operation that its first byte chooses."""
    names = sorted(OPERATIONS)
    operation = OPERATIONS[names[data[0] % len(names)]] if data else OPERATIONS["PutItem"]
    operation.check(Decoder(operation.request).decode(data[1:]))


def _item(data: bytes) -> None:
    """An item, whose canonical form is its own canonical form."""
    item = line_of(data).item
    assert item is not None
    encoded = encoded_item(item, Wording.CURRENT)
    again = encoded_item(msgspec.json.decode(encoded.json), Wording.CURRENT)
    assert again == encoded


def _number(data: bytes) -> None:
    canonical = canonical_number(_text(data), Wording.CURRENT)
    assert canonical_number(canonical, Wording.CURRENT) == canonical
    sort_key(canonical)


def _cbor(data: bytes) -> None:
    """An item of CBOR, whose end the scanner finds too, however its bytes arrive."""
    _, end = read_item(data, 0)
    scanner = Scanner(0, 1)
    assert scanner.find_end(data[: end // 2]) in (None, end)
    assert scanner.find_end(data) == end


def _dax_value(data: bytes) -> None:
    value = canonical_value(read_value(data, 0)[0], Wording.CURRENT)
    encoded = encode_value(value)
    again, end = read_value(encoded, 0)
    assert (canonical_value(again, Wording.CURRENT), end) == (value, len(encoded))


def _dax_expression(data: bytes) -> None:
    """An expression of the kind that its first byte chooses."""
    kind, encoded = data[:1], data[1:]
    if kind == b"p":
        dax_expressions.projection_paths(encoded)
    elif kind == b"u":
        dax_expressions.update_text(encoded, dax_expressions.Placeholders())
    else:
        dax_expressions.condition_text(encoded, dax_expressions.Placeholders())


def _policy(data: bytes) -> None:
    uses = list(PolicyUse)
    parse(_text(data[1:]), uses[data[0] % len(uses)] if data else uses[0])


def _signature(data: bytes) -> None:
    """A head: the header, the date and the query, apart from each other by newlines."""
    parts = [*data.split(b"\n", 2), b"", b""]
    canonical_path(parts[2])
    canonical_query(parts[2])
    caller({b"authorization": parts[0], b"x-amz-date": parts[1]}, parts[2])


def _lines(data: bytes) -> None:
    """Lines of JSON, fed in two pieces."""
    splitter = LineSplitter()
    lines = splitter.feed(data[: len(data) // 2])
    lines += splitter.feed(data[len(data) // 2 :]) + splitter.end()
    for group in apart(lines):
        for line in group:
            line_of(line)


def _csv(data: bytes) -> None:
    splitter, reader = RowSplitter(), CsvReader({"a": "S", "b": "N"}, ",", None)
    for row in splitter.feed(data) + splitter.end():
        reader.line_of(row)


def _model(data: bytes) -> None:
    """A file of a model in the format that its first byte chooses."""
    suffix = (".json", ".toml", "")[data[0] % 3] if data else ""
    model_of(parsed(data[1:], suffix), "name")


def _arn(data: bytes) -> None:
    owner_of(_text(data))
    table_name_of(_text(data))
    resource_of_arn(_text(data))


@dataclass(frozen=True)
class Target:
    """A parser, what it refuses with, and inputs to begin with."""

    run: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    refusals: tuple[type[Exception], ...] = (DynamoError, ApiError)

    def __call__(self, data: bytes) -> None:
        with contextlib.suppress(*self.refusals):
            self.run(data)


def _bodies() -> tuple[bytes, ...]:
    names = sorted(OPERATIONS)
    return tuple(
        bytes([names.index(name)]) + msgspec.json.encode(request)
        for name, requests in CORPUS.items()
        for request in requests
    )


_CBOR_REFUSALS: Any = (IncompleteError, MalformedError, DynamoError)
_CONDITION = b"(#a = :s OR NOT size(a.b[1]) BETWEEN :n AND :n) AND attribute_type(c, :s)"
_STATEMENT = b"""SELECT a, b FROM "T"."i" WHERE pk = 'x' AND (sk IN [1, 2] OR begins_with(a, ?))"""
_JSON_LINE = b'{"Item":{"a":{"S":"x"},"b":{"N":"1.50"},"c":{"L":[{"BS":["YQ=="]},{"NULL":true}]}}}'
_ION_LINE = b'$ion_1_0 {Item:{a:"x",b:1.5,c:{{YQ==}},d:$dynamodb_SS::["x"],e:[null,true]}}'
_POLICY = (
    b'{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:Get*","Resource":'
    b'"*","Condition":{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["${aws:userid}*"]}}}]}'
)
_HEAD = (
    b"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261101/us-east-1/dynamodb/aws4_request, "
    b"SignedHeaders=host;x-amz-date, Signature=0f\n20261101T000000Z\na=b&c=%20d"
)
_DAX_EXPRESSIONS = (
    b"c" + bytes.fromhex("830184098212616182110082110182016178"),
    b"u"
    + bytes.fromhex(
        "83018483138212617882110082168212617983148212616e8211008315821261738211018201d90cf9816171"
    ),
    b"p" + bytes.fromhex("8301828212616183126162d90cfc0080"),
)
_MODEL = (
    b'\x00{"name":"m","tables":[{"TableName":"t","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}'
    b'],"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}]}]}'
)

TARGETS = {
    "condition": Target(_expression("condition"), (_CONDITION,)),
    "projection": Target(_expression("projection"), (b"a, #b.c[0], d",)),
    "update": Target(
        _expression("update"),
        (b"SET a = if_not_exists(b, :n) + :n, #b[1] = list_append(:l, c) REMOVE d ADD e :ss",),
    ),
    "partiql": Target(
        _partiql, (_STATEMENT, b"UPDATE T SET a=<<'x'>> WHERE pk=?", b"INSERT INTO T VALUE {'a':1}")
    ),
    "request": Target(_request, _bodies()),
    "item": Target(_item, (_JSON_LINE,), (Refused, DynamoError)),
    "number": Target(_number, (b"-1.50e+7", b"0.000001", b"1E-130")),
    "cbor": Target(
        _cbor, (encode_value({"M": {"a": {"SS": ["x"]}}}), b"\x9f\x01\x61a\xff"), _CBOR_REFUSALS
    ),
    "dax-value": Target(_dax_value, (encode_value({"L": [{"N": "1.5"}]}),), _CBOR_REFUSALS),
    "dax-expression": Target(_dax_expression, _DAX_EXPRESSIONS, _CBOR_REFUSALS),
    "dax-session": Target(played, tuple(SESSIONS), _CBOR_REFUSALS),
    "policy": Target(_policy, (b"\x00" + _POLICY,), (MalformedPolicyError,)),
    "signature": Target(_signature, (_HEAD,)),
    "form": Target(parameters, (b"Action=CreateUser&Tags.member.1.Key=a&Tags.member.1.Value=b",)),
    "import-lines": Target(_lines, (_JSON_LINE + b"\n" + _JSON_LINE,), (Refused,)),
    "import-csv": Target(_csv, (b'a,b,c\nx,1,"y\nz"\n',), (Refused,)),
    "import-ion": Target(ion_line_of, (_ION_LINE,), (Refused,)),
    "model": Target(_model, (_MODEL,), (ModelError,)),
    "arn": Target(_arn, (b"arn:aws:dynamodb:us-east-1:123456789012:table/Music",)),
    "metric-math": Target(
        lambda data: metric_math(_text(data)),
        (b"SUM(METRICS('m')) / m1 * 2 - FILL(m2, 0)", b"IF(m1 > 3, [1, 2], m3)"),
        (ExpressionError,),
    ),
    "metric-search": Target(
        lambda data: search_of(_text(data)),
        (b'{AWS/DynamoDB,TableName} MetricName="Consumed" OR (a AND NOT b)',),
        (ExpressionError,),
    ),
    "audit-statement": Target(
        lambda data: statement_of(_text(data), lambda _: ("pk", "sk")),
        (_STATEMENT, b"DELETE FROM T WHERE pk = 'x''y'"),
    ),
}
