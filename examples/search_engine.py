"""A search engine that follows a table: Tantivy, fed by `hashrange replicate-to`.

`search_index.py` feeds an index from within the server. Here the index is a program of its own, on
any machine: the command below reads the table, then its stream, and posts each change to it.

    hashrange replicate-to http://127.0.0.1:9200 --table articles --state articles.json

The command posts batches in the form of Lambda's events, and goes on behind the last batch that was
answered with 200, also after a kill. So the index has three duties:

    order      a document keeps the version of its change; a change that is not newer is ignored
    resume     one commit a batch, before the answer: what was answered is on disk
    reindex    an index beside the old one, with a state of its own, from a snapshot; then a swap

SNAPSHOT_END ends a snapshot: documents with older versions are of items that no longer exist.

It needs Tantivy: `pip install tantivy`.
"""

import json
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import tantivy

from playground import endpoint, temporary_table

TEXTS = ("title", "text")
VERSION_DIGITS = 38
MEMORY_BYTES = 15_000_000
HITS = 10


class SearchIndex:
    """Articles in an index of Tantivy, in a folder; one process writes it."""

    def __init__(self, folder):
        builder = tantivy.SchemaBuilder()
        for name in ("id", "version"):
            builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
        for name in TEXTS:
            builder.add_text_field(name, stored=True, tokenizer_name="en_stem")
        self.schema = builder.build()
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.index = tantivy.Index(self.schema, path=str(self.folder))
        self.writer = self.index.writer(MEMORY_BYTES, 1)
        self.lock = threading.Lock()

    def apply(self, records):
        """Bring the index up to date with a batch, in one commit; all of it, or nothing."""
        with self.lock:
            versions = {}
            try:
                for record in records:
                    self._apply(record, versions)
                self.writer.commit()
            except Exception:
                self.writer.rollback()
                raise
            self.index.reload()

    def _apply(self, record, versions):
        version = record["version"].zfill(VERSION_DIGITS)
        if record["eventName"] == "SNAPSHOT_END":
            older = f"version:[{'0' * VERSION_DIGITS} TO {version}}}"
            self.writer.delete_documents_by_query(self.index.parse_query(older, ["version"]))
            return
        change = record["dynamodb"]
        article = change["Keys"]["id"]["S"]
        if version <= versions.get(article, self.version_of(article)):
            return
        versions[article] = version
        self.writer.delete_documents_by_query(self._is(article))
        if new := change.get("NewImage"):
            texts = {name: new.get(name, {}).get("S", "") for name in TEXTS}
            self.writer.add_document(tantivy.Document(id=article, version=version, **texts))

    def _is(self, article):
        return tantivy.Query.term_query(self.schema, "id", article)

    def version_of(self, article):
        """The version of an article; empty if it is not in the index."""
        return next((found["version"][0] for found in self._found(self._is(article))), "")

    def search(self, words):
        """The titles of the articles with these words, best first."""
        query = self.index.parse_query(words, [*TEXTS])
        return [found["title"][0] for found in self._found(query)]

    def _found(self, query):
        searcher = self.index.searcher()
        return [searcher.doc(place).to_dict() for _, place in searcher.search(query, HITS).hits]


@contextmanager
def listening(index):
    """The URL where the index takes batches, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                index.apply(json.loads(body)["Records"])
                status = 200
            except (ValueError, KeyError):
                status = 500  # the batch comes again
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def follow(address, state, table, url):
    """Bring the index at an address up to date with a table; --once ends the command then."""
    command = [sys.executable, "-m", "hashrange", "replicate-to", address, "--table", table]
    command += ["--endpoint", url, "--state", str(state), "--once", "--quiet"]
    subprocess.run(command, check=True)  # noqa: S603 - our own command


def main(articles, url, folder):
    """Articles that come, change and go, and what is found."""
    for article, title, text in (
        ("1", "Tides", "The moon pulls the sea, and the sea follows a little late."),
        ("2", "Calendars", "A month is a moon; twelve of them are not quite a year."),
        ("3", "Bread", "Flour, water, salt, and time."),
    ):
        articles.put_item(Item={"id": article, "title": title, "text": text})
    index, state = SearchIndex(folder / "first"), folder / "first.json"
    with listening(index) as address:
        follow(address, state, articles.name, url)
        print("moon:", sorted(index.search("moon")))
        print("moon AND NOT sea:", index.search("moon AND NOT sea"))

        articles.put_item(
            Item={"id": "3", "title": "Bread", "text": "Flour, water, and moonshine."}
        )
        articles.delete_item(Key={"id": "1"})
        follow(address, state, articles.name, url)
        print("After a change and a delete, sea:", index.search("sea"))
        print("moonshine:", index.search("moonshine"))

    second = SearchIndex(folder / "second")
    with listening(second) as address:
        follow(address, folder / "second.json", articles.name, url)
    print("Reindexed from a snapshot:", sorted(second.search("water OR month")))


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as directory,
        temporary_table("articles", ("id",)) as example,
    ):
        main(example, endpoint(), Path(directory))
