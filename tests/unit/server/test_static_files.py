"""Files of a package: an address has one content, even if the package is exchanged meanwhile."""

import asyncio
import gzip

from hashrange.server.static_files import StaticFiles
from hashrange.wire.exchange import Peer, Request

PEER = Peer("127.0.0.1", False)


def test_a_file_that_was_exchanged_is_not_found(tmp_path):
    (tmp_path / "index.html").write_text('<script src="/static/VERSION/a.js">')
    for name in ("a.js", "b.js", "c.js"):
        (tmp_path / name).write_text(f"{name}, old")
    found = StaticFiles(tmp_path, "/static/", "a test")

    def got(method, path):
        headers = {b"accept-encoding": b"gzip"}
        return asyncio.run(method(Request(b"GET", path, b"", headers, b"", peer=PEER)))

    page = gzip.decompress(got(found.page, b"/").body).decode()
    place = page.partition('"')[2].rpartition("/")[0]
    assert gzip.decompress(got(found.file, f"{place}/a.js".encode()).body) == b"a.js, old"
    (tmp_path / "a.js").write_text("a.js, new")
    (tmp_path / "b.js").write_text("b.js, new")
    (tmp_path / "c.js").unlink()
    assert gzip.decompress(got(found.file, f"{place}/a.js".encode()).body) == b"a.js, old"
    assert got(found.file, f"{place}/b.js".encode()).status == 404
    assert got(found.file, f"{place}/c.js".encode()).status == 404
