"""Forms: what botocore's serializer makes of parameters is read as these parameters."""

from urllib.parse import urlencode

import botocore.session
import pytest
from botocore.serialize import create_serializer
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import ApiError
from hashrange.limits.access import FORM_BYTES_MAX, FORM_FIELDS_MAX, FORM_LIST_MAX
from hashrange.wire.forms import parameters

MODEL = botocore.session.get_session().get_service_model("iam")
SERIALIZER = create_serializer("query", include_validation=False)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
tags = st.lists(st.fixed_dictionaries({"Key": texts, "Value": texts}), min_size=1, max_size=12)


@given(st.fixed_dictionaries({"UserName": texts, "Path": texts, "Tags": tags}))
def test_parameters_of_clients(sent):
    form = SERIALIZER.serialize_to_request(sent, MODEL.operation_model("CreateUser"))
    found = parameters(urlencode(form["body"]).encode())
    assert found == {"Action": "CreateUser", "Version": "2010-05-08", **sent}


@given(st.lists(texts, min_size=1, max_size=12), st.integers(0, 10_000))
def test_lists_within_structures(values, number):
    entry = {"ContextKeyName": "k", "ContextKeyValues": values, "ContextKeyType": "string"}
    sent = {"ContextEntries": [entry, entry], "MaxItems": number}
    form = SERIALIZER.serialize_to_request(sent, MODEL.operation_model("SimulateCustomPolicy"))
    found = parameters(urlencode(form["body"]).encode())
    assert found["ContextEntries"] == [entry, entry]
    assert found["MaxItems"] == str(number)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"a=%ff", "it is not UTF-8"),
        (b"a=\xff", "it is not UTF-8"),
        (b"a=1&a=2", "a is there twice"),
        (b"a=1&a.b=2", "a.b is below a value"),
        (b"a.b=1&a=2", "a is there twice"),
        (b"a.member.2=x", "the members of a list are not numbered from 1"),
        (b"a.member.1=x&a.member.01=y", "the members of a list are not numbered from 1"),
        ("a.member.\u0663=y".encode(), "it is not UTF-8"),
        (b".".join([b"a"] * 9) + b"=1", "the name of a field has more than 8 parts"),
        (b"a=" + b"1" * FORM_BYTES_MAX, f"it has more than {FORM_BYTES_MAX} bytes"),
        (
            b"&".join(b"a%d=" % number for number in range(FORM_FIELDS_MAX + 1)),
            f"it has more than {FORM_FIELDS_MAX} fields",
        ),
        (
            b"&".join(b"a.member.%d=" % number for number in range(1, FORM_LIST_MAX + 2)),
            f"a list has more than {FORM_LIST_MAX} members",
        ),
    ],
    ids=range(12),
)
def test_what_is_no_form(body, reason):
    with pytest.raises(ApiError) as refused:
        parameters(body)
    assert refused.value.text == f"The form cannot be read: {reason}"


# As recorded in September 2026.
@pytest.mark.parametrize(
    ("indexes", "message"),
    [
        (["one"], "Start of list found where not expected"),
        (["%2B1"], "Start of list found where not expected"),
        (["%D9%A3"], "Start of list found where not expected"),
        (["0"], "0 is not a valid index"),
        (["-1"], "Key -1 may not have a leading '-'"),
        (["12"], "Excessively sparse input would skip 11 list elements"),
        (["22", "1"], "Excessively sparse input would skip 21 list elements"),
        ([*map(str, range(1, 11)), "21"], "Excessively sparse input would skip 11 list elements"),
    ],
)
def test_what_is_no_index(indexes, message):
    with pytest.raises(ApiError) as refused:
        parameters("&".join(f"a.member.{index}=x" for index in indexes).encode())
    assert (refused.value.name, refused.value.text) == ("MalformedInput", message)


def test_an_index_may_have_zeros():
    assert parameters(b"a.member.02=y&a.member.01=x") == {"a": ["x", "y"]}
