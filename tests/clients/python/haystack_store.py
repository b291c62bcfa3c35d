"""The tests of Haystack for document stores, on its store in DynamoDB."""

import uuid

import boto3
import pytest
from haystack.dataclasses import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.testing.document_store import DocumentStoreBaseExtendedTests
from haystack_integrations.components.retrievers.dynamodb import DynamoDBEmbeddingRetriever
from haystack_integrations.document_stores.dynamodb import DynamoDBDocumentStore


def new_store(dimension):
    return DynamoDBDocumentStore(table_name=uuid.uuid4().hex, embedding_dimension=dimension)


def drop(store):
    boto3.client("dynamodb").delete_table(TableName=store.table_name)


class TestStandard(DocumentStoreBaseExtendedTests):
    """The tests, whose documents have vectors of 768 numbers."""

    @pytest.fixture
    def document_store(self):
        store = new_store(768)
        store.count_documents()
        yield store
        drop(store)

    def assert_documents_are_equal(self, received, expected):
        """A scan has no order."""
        facts = [
            sorted((each.id, each.content, sorted(each.meta.items())) for each in documents)
            for documents in (received, expected)
        ]
        assert facts[0] == facts[1]

    def test_write_documents(self, document_store):
        """What each store has to say for itself: it writes, and refuses to write again."""
        documents = [Document(content=name) for name in ("one", "two")]
        assert document_store.write_documents(documents) == len(documents)
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents(documents[:1])


def test_retriever():
    store = new_store(2)
    places = {"ice": [1.0, 0.0], "snow": [0.9, 0.1], "fire": [0.0, 1.0]}
    store.write_documents([Document(content=name, embedding=at) for name, at in places.items()])
    found = DynamoDBEmbeddingRetriever(document_store=store, top_k=2).run([1.0, 0.0])["documents"]
    assert [each.content for each in found] == ["ice", "snow"]
    assert found[0].score == pytest.approx(1.0)
    drop(store)
