"""The commands of docs/migrating.md bring tables over, as the page shows it."""

from pathlib import Path

from tests.api.conftest import client_of, start_server  # noqa: F401 - a fixture
from tests.docs.snippets import Reader

PAGE = Path(__file__).resolve().parents[2] / "docs" / "migrating.md"
ITEMS = 60


def test_page_does_what_it_says(start_server, tmp_path):  # noqa: F811 - the fixture
    url = start_server()
    client = client_of(url)
    client.create_table(
        TableName="orders",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "N"}],
        BillingMode="PAY_PER_REQUEST",
    )
    for number in range(ITEMS):
        client.put_item(TableName="orders", Item={"pk": {"N": str(number)}})
    folder = tmp_path / "folder"
    folder.mkdir()
    address = url.removeprefix("http://")
    reader = Reader(page="docs/migrating.md", address=address, folder=folder, scratch=tmp_path)
    assert reader.read(PAGE.read_text("utf-8")) == 2
    copied = client_of(start_server(memory=False, data=folder / "hashrange-data"))
    assert copied.scan(TableName="orders", Select="COUNT")["Count"] == ITEMS
