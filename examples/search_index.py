"""A search index: words in a table of articles, found with SQLite's full-text search, by a trigger.

DynamoDB finds what a key says; for words in a text one needs another index. A trigger feeds it:
the function `handler` below is called with each change, in the server's own process, as
search_index.toml says. It has the signature of an AWS Lambda handler, and would run there as it is.

    table articles   item        {id, title, text}
    file SEARCH_DB   FTS5 row    id, title, text

A trigger delivers each change at least once, and those of an item in their order. To put a row in
place of what was there is the same done once or twice, so nothing has to be remembered. All changes
of a batch are one transaction of SQLite: either all are in the index, or the batch comes again.

The index follows the table by some tenths of a second. Who must find what was just written looks in
the table.
"""

import os
import sqlite3
import tempfile
import time
from pathlib import Path

import hashrange
from playground import connect

SECONDS_MAX = 30
TEXTS = ("title", "text")


def opened(path):
    """The index in a file, made if it is not there."""
    index = sqlite3.connect(path, timeout=10)
    index.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS articles USING fts5(id UNINDEXED, title, text)"
    )
    return index


def handler(event, _context):
    """Bring the index up to date with a batch of changes."""
    index = opened(os.environ["SEARCH_DB"])
    try:
        with index:  # commits, or rolls all of it back
            for record in event["Records"]:
                apply(index, record["dynamodb"])
    finally:
        index.close()


def apply(index, change):
    """One change: the old row goes, and the new one comes unless the article is gone."""
    article = change["Keys"]["id"]["S"]
    index.execute("DELETE FROM articles WHERE id = ?", (article,))
    if new := change.get("NewImage"):
        texts = [new.get(name, {}).get("S", "") for name in TEXTS]
        index.execute("INSERT INTO articles VALUES (?, ?, ?)", (article, *texts))


def search(path, words):
    """The articles with these words, best first: pairs of id and title."""
    index = opened(path)
    try:
        question = "SELECT id, title FROM articles WHERE articles MATCH ? ORDER BY rank"
        return index.execute(question, (words,)).fetchall()
    finally:
        index.close()


def wait_until(path, words, ids):
    """Until a search finds exactly these articles: the index follows the table."""
    end = time.monotonic() + SECONDS_MAX
    while {article for article, _ in search(path, words)} != set(ids):
        assert time.monotonic() < end, f"{words} does not find {ids}"
        time.sleep(0.02)


def main(articles, path):
    """Articles that come, change and go, and what is found."""
    for article, title, text in (
        ("1", "Tides", "The moon pulls the sea, and the sea follows a little late."),
        ("2", "Calendars", "A month is a moon; twelve of them are not quite a year."),
        ("3", "Bread", "Flour, water, salt, and time."),
    ):
        articles.put_item(Item={"id": article, "title": title, "text": text})
    wait_until(path, "flour", ["3"])
    print("moon:", [title for _, title in search(path, "moon")])
    print("moon NOT sea:", [title for _, title in search(path, "moon NOT sea")])

    articles.update_item(
        Key={"id": "3"},
        UpdateExpression="SET #text = :text",
        ExpressionAttributeNames={"#text": "text"},
        ExpressionAttributeValues={":text": "Flour, water, and moonshine."},
    )
    articles.delete_item(Key={"id": "1"})
    wait_until(path, "sea", [])
    print("moon*, after a change and a delete:", sorted(t for _, t in search(path, "moon*")))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SEARCH_DB"] = str(Path(folder) / "search.db")
        file = Path(__file__).with_name("search_index.toml")
        with hashrange.start(memory=True, triggers=file) as server:
            table = connect(server.endpoint).create_table(
                TableName="articles",
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
            )
            main(table, os.environ.pop("SEARCH_DB"))
