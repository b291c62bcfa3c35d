"""Static files of a package: read with the first request for any, compressed once each."""

import mimetypes
import zlib
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from hashrange.server.compression import accepted
from hashrange.server.responses import TEXT
from hashrange.wire.exchange import Headers, Request, Response

_FOLDER: Final = "static"
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
    """One file, compressed: that is how browsers ask for it."""

    def __init__(self, name: str, body: bytes) -> None:
        ending = name[name.rfind(".") :]
        kind = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.content_type = (f"{kind}; charset=utf-8" if "text" in kind else kind).encode()
        self._body = body
        self.tag = f'"{sha256(body).hexdigest()[:_VERSION_CHARS]}"'.encode()

    @cached_property
    def zipped(self) -> bytes:
        """The file as browsers ask for it. Only this form is kept."""
        compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        zipped = compressor.compress(self._body) + compressor.flush()
        self._body = b""
        return zipped

    @property
    def body(self) -> bytes:
        """The content of the file."""
        return self._body or zlib.decompress(self.zipped, _GZIP)


class StaticFiles:
    """Answers requests for the page of a package and for the files that it loads.

    Args:
        package: has them in its folder `static`.
        prefix: the beginning of the addresses of files; the version of all files follows.
        title: what the files are of, for people.
    """

    def __init__(self, package: str, prefix: str, title: str) -> None:
        self._package = package
        self._prefix = prefix
        self._missing = f"no such file in this version of {title}\n".encode()

    @cached_property
    def _files(self) -> dict[str, _File]:
        found = dict(_read(files(self._package) / _FOLDER, ""))
        digest = sha256(b"".join(found[name] for name in sorted(found))).hexdigest()
        version = digest[:_VERSION_CHARS]
        page = found.pop(_PAGE).replace(_VERSION, version.encode())
        named = {f"{self._prefix}{version}/{name}": body for name, body in found.items()}
        return {name: _File(name, body) for name, body in {**named, _PAGE: page}.items()}

    async def page(self, request: Request) -> Response:
        """The page, which shows every address but those of files."""
        return _answer(request, self._files[_PAGE], _CHECKED)

    async def file(self, request: Request) -> Response:
        """A file; 404 if there is none of that name in this version."""
        found = self._files.get(request.path.decode("latin-1"))
        if found is None:
            return Response(404, self._missing, TEXT)
        return _answer(request, found, _FOR_EVER)


def _read(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _read(each, f"{prefix}{each.name}/")
        else:
            yield prefix + each.name, each.read_bytes()


def _answer(request: Request, file: _File, caching: tuple[bytes, bytes]) -> Response:
    headers: Headers = (caching, (b"ETag", file.tag), _VARY)
    if file.tag in request.headers.get(b"if-none-match", b""):
        return Response(304, b"", file.content_type, headers)
    if accepted(request.headers.get(b"accept-encoding", b"identity")) == b"gzip":
        headers = (*headers, (b"Content-Encoding", b"gzip"))
        return Response(200, file.zipped, file.content_type, headers)
    return Response(200, file.body, file.content_type, headers)
