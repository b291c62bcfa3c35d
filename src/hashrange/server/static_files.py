"""Static files of a package: compressed, and kept, once each was asked for."""

import mimetypes
import zlib
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from importlib.resources.abc import Traversable
from typing import Final

from hashrange.server.compression import accepted
from hashrange.server.responses import TEXT
from hashrange.wire.exchange import Headers, Request, Response

_PAGE: Final = "index.html"
_VERSION: Final = b"VERSION"
"""In the page: stands for the version of the files, which is part of their addresses."""
_VERSION_CHARS: Final = 16
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
_GZIP: Final = 31
_LEVEL: Final = 9
_FOR_EVER: Final = (b"Cache-Control", b"public, max-age=31536000, immutable")
"""Of a file, whose address changes with it."""
_CHECKED: Final = (b"Cache-Control", b"no-cache")
"""Of the page: browsers ask each time whether it has changed."""
_VARY: Final = (b"Vary", b"Accept-Encoding")


class _File:
    """One file, compressed: that is how browsers ask for it. It is in memory once it was asked for.

    Args:
        source: its place.
        version: what its placeholder stands for; empty for a file without one.
    """

    def __init__(self, source: Traversable, version: bytes = b"") -> None:
        self.source, self._version = source, version
        ending = source.name[source.name.rfind(".") :]
        guessed = mimetypes.guess_type(source.name)[0] or "application/octet-stream"
        kind = _TYPES.get(ending) or guessed
        self.content_type = (f"{kind}; charset=utf-8" if "text" in kind else kind).encode()
        self.tag = _tag(self._read())

    @cached_property
    def zipped(self) -> bytes | None:
        """The file as browsers ask for it; None if the package was exchanged meanwhile."""
        body = self._read()
        if _tag(body) != self.tag:
            return None
        compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        return compressor.compress(body) + compressor.flush()

    def _read(self) -> bytes:
        try:
            body = self.source.read_bytes()
        except OSError:  # the package was exchanged
            return b""
        return body.replace(_VERSION, self._version) if self._version else body


def _tag(body: bytes) -> bytes:
    return f'"{sha256(body).hexdigest()[:_VERSION_CHARS]}"'.encode()


class StaticFiles:
    """Answers requests for a page of a package and for the files that it loads.

    Args:
        folder: has them.
        prefix: the beginning of the addresses of files; the version of all files follows.
        title: what the files are of, for people.
    """

    def __init__(self, folder: Traversable, prefix: str, title: str) -> None:
        self._folder = folder
        self._prefix = prefix
        self._missing = f"no such file in this version of {title}\n".encode()

    @cached_property
    def _files(self) -> dict[str, _File]:
        found = {name: _File(source) for name, source in _all(self._folder, "")}
        digest = sha256(b"".join(found[name].tag for name in sorted(found))).hexdigest()
        version = digest[:_VERSION_CHARS]
        page = _File(found.pop(_PAGE).source, version.encode())
        return {f"{self._prefix}{version}/{name}": file for name, file in found.items()} | {
            _PAGE: page
        }

    async def page(self, request: Request) -> Response:
        """The page, which shows every address but those of files."""
        return self._answer(request, self._files[_PAGE], _CHECKED)

    async def file(self, request: Request) -> Response:
        """A file; 404 if there is none of that name in this version."""
        found = self._files.get(request.path.decode("latin-1"))
        if found is None:
            return Response(404, self._missing, TEXT)
        return self._answer(request, found, _FOR_EVER)

    def _answer(self, request: Request, file: _File, caching: tuple[bytes, bytes]) -> Response:
        headers: Headers = (caching, (b"ETag", file.tag), _VARY)
        if file.tag in request.headers.get(b"if-none-match", b""):
            return Response(304, b"", file.content_type, headers)
        zipped = file.zipped
        if zipped is None:
            return Response(404, self._missing, TEXT)
        if accepted(request.headers.get(b"accept-encoding", b"identity")) == b"gzip":
            headers = (*headers, (b"Content-Encoding", b"gzip"))
            return Response(200, zipped, file.content_type, headers)
        return Response(200, zlib.decompress(zipped, _GZIP), file.content_type, headers)


def _all(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _all(each, f"{prefix}{each.name}/")
        else:
            yield prefix + each.name, each
