"""XML: what is answered is what botocore's parser reads."""

from xml.etree import ElementTree as ET

import botocore.session
from botocore.parsers import create_parser
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.registry import IAM, STS
from hashrange.wire.member_types import structure_of
from hashrange.wire.query_protocol import answer_xml, error_xml
from hashrange.wire.rules import Required

MODEL = botocore.session.get_session().get_service_model("iam")
IN_XML = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
texts = st.text(st.one_of(IN_XML, st.sampled_from("\t\n\r<>&\"'")), max_size=8)


def parsed(body, operation, status=200):
    response = {"headers": {}, "status_code": status, "body": body}
    shape = MODEL.operation_model(operation).output_shape
    return create_parser("query").parse(response, shape)


@given(st.lists(st.fixed_dictionaries({"Key": texts, "Value": texts}), max_size=5), st.booleans())
def test_answers(tags, is_truncated):
    result = {"Tags": tags, "IsTruncated": is_truncated, "Marker": None}
    found = parsed(
        answer_xml("ListUserTags", IAM.protocols[0].namespace, result, "id"), "ListUserTags"
    )
    assert found.pop("ResponseMetadata")["RequestId"] == "id"
    assert found == {"Tags": tags, "IsTruncated": is_truncated}


@given(st.text(min_size=1, max_size=20))
def test_errors(message):
    error = QueryError(Code.NO_SUCH_ENTITY, message)
    body = error_xml(error, IAM.protocols[0].namespace, "id")
    assert ET.fromstring(body).tag == "{https://iam.amazonaws.com/doc/2010-05-08/}ErrorResponse"
    found = parsed(body, "GetUser", 404)["Error"]
    assert (found["Code"], found["Type"]) == ("NoSuchEntity", "Sender")
    assert len(found["Message"]) == len(message)


# What this server answers under a name must be an operation of that name.
def test_operations_are_those_of_the_models():
    for service in (IAM, STS):
        model = botocore.session.get_session().get_service_model(service.name)
        assert model.metadata["xmlNamespace"] == service.protocols[0].namespace
        assert model.api_version == service.version
        for name, operation in service.operations().items():
            shape = model.operation_model(name)
            members = {} if shape.input_shape is None else shape.input_shape.members
            names = structure_of(operation.request).attributes
            assert set(names) <= set(members), name
            required = [] if shape.input_shape is None else shape.input_shape.required_members
            rows = operation.constraints.rows
            found = {row.name for row in rows if isinstance(row.rule, Required)}
            assert {names[each] for each in required} <= found, name
