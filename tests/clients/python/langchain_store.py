"""The standard tests of LangChain for vector stores, on its store in DynamoDB."""

import uuid

import boto3
import pytest
from langchain_aws.vectorstores import DynamoDBVectorStore
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_tests.integration_tests import VectorStoreIntegrationTests

PLACES = {"ice": [1.0, 0.0], "snow": [0.9, 0.1], "fire": [0.0, 1.0]}


@pytest.fixture
def vectorstore():
    client = boto3.client("dynamodb")
    store = DynamoDBVectorStore(
        table_name=uuid.uuid4().hex, embedding=DeterministicFakeEmbedding(size=6), client=client
    )
    store.add_texts(["of the table"], ids=["first"])
    store.delete(["first"])
    yield store
    client.delete_table(TableName=store.table_name)


class TestStandard(VectorStoreIntegrationTests):
    """The tests, whose store is the fixture above; its table is there before the first search."""

    @pytest.fixture
    def vectorstore(self, vectorstore):
        return vectorstore


class Places:
    """A model that knows three words."""

    def embed_documents(self, texts):
        return [PLACES[text] for text in texts]

    def embed_query(self, text):
        return PLACES[text]


@pytest.mark.parametrize(
    ("function", "scores"), [("COSINE", [0.0, 0.0061]), ("EUCLIDEAN", [0.0, 0.1414])]
)
def test_scores(function, scores):
    store = DynamoDBVectorStore.from_texts(
        [*PLACES], Places(), [{"kind": kind} for kind in ("cold", "cold", "hot")],
        table_name=uuid.uuid4().hex, partition_attribute="kind", distance_function=function,
    )  # fmt: skip
    found = store.similarity_search_with_score("ice", filter={"kind": "cold"})
    assert [document.page_content for document, _ in found] == ["ice", "snow"]
    assert [score for _, score in found] == pytest.approx(scores, abs=1e-4)
    assert [
        each.page_content for each in store.similarity_search("ice", filter={"kind": "hot"})
    ] == ["fire"]
    store.client.delete_table(TableName=store.table_name)
