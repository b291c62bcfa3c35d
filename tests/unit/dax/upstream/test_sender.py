"""Requests as the upstream gets them."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.dax.upstream.connection import HttpAnswer
from hashrange.dax.upstream.refusals import UpstreamError, refusal_of
from hashrange.dax.upstream.sender import Sender, members
from hashrange.model.structures.dynamodb import (
    BatchWriteItem,
    DeleteRequest,
    GetItem,
    GetItemAnswer,
    Put,
    PutItem,
    PutRequest,
    TransactWriteItem,
    TransactWriteItems,
    WriteRequest,
)

VALUES = st.recursive(
    st.sampled_from([{"S": ""}, {"N": "1"}, {"NULL": True}, {"BOOL": False}, {"SS": ["a"]}]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda found: {"L": found}),
        st.dictionaries(st.text(max_size=3), inner, max_size=3).map(lambda found: {"M": found}),
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_items_are_sent_as_they_are(item):
    assert members(PutItem(table_name="T", item=item)) == {"TableName": "T", "Item": item}
    put = TransactWriteItem(put=Put(table_name="T", item=item))
    request = TransactWriteItems(transact_items=[put], client_request_token="t")
    assert members(request) == {
        "TransactItems": [{"Put": {"TableName": "T", "Item": item}}],
        "ClientRequestToken": "t",
    }


def test_members_that_are_not_set_are_not_sent():
    item = {"pk": {"S": "a"}}
    writes = [
        WriteRequest(put_request=PutRequest(item=item)),
        WriteRequest(delete_request=DeleteRequest(key=item)),
    ]
    assert members(BatchWriteItem(request_items={"T": writes})) == {
        "RequestItems": {"T": [{"PutRequest": {"Item": item}}, {"DeleteRequest": {"Key": item}}]}
    }


class Answering:
    """A client whose upstream answers each request with a body."""

    url = "http://upstream"

    def __init__(self, body):
        self._body = body

    async def call(self, _sent):
        return self._body


@pytest.mark.parametrize("body", [b"", b"[]", b'{"Item":{"\xff":{"S":""}}}', b"[" * 100_000])
def test_an_answer_that_cannot_be_read_is_none_of_dynamodb(body):
    asked = Sender(Answering(body), None).perform("GetItem", GetItem(), GetItemAnswer, ())
    with pytest.raises(UpstreamError, match="does not speak DynamoDB"):
        asyncio.run(asked)


@pytest.mark.parametrize("body", [b"", b'{"message":"\xff"}', b'{"x":' + b"[" * 100_000])
def test_an_error_that_cannot_be_read_is_none_of_dynamodb(body):
    assert "does not speak DynamoDB" in refusal_of("http://upstream", HttpAnswer(400, body)).message
