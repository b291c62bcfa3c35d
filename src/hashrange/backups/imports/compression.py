"""Decompresses objects piece by piece, so that no object expands beyond a piece in memory. Pure.

GZIP objects may have several members, ZSTD objects several frames, as the tools write them.
"""

import sys
import zlib
from collections.abc import Iterator
from typing import Any, Final, Protocol

from hashrange.backups.imports.lines import Refused
from hashrange.limits.backups import IMPORT_PIECE_BYTES
from hashrange.messages.tables import backups as messages
from hashrange.optional_packages import imported

_GZIP: Final = 31
_IN_STANDARD_LIBRARY: Final = (3, 14)


_PART_BYTES: Final = 16 * 1024
"""Input decompressed at a time. A member that ends returns a copy of its unused input, so larger
parts would be copied over and over if they had many tiny members."""
_WINDOW_LOG_MAX: Final = 27
"""128 MiB, which every decoder must support; larger windows need `--long` to be decompressed."""


class Decompressor(Protocol):
    """Decompresses one object."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The pieces that a chunk of the object expands to. Raises Refused: it is malformed."""

    def end(self) -> None:
        """Raises Refused: the object is cut off."""


class Plain:
    """An object that is not compressed."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The chunk in pieces."""
        for start in range(0, len(chunk), IMPORT_PIECE_BYTES):
            yield chunk[start : start + IMPORT_PIECE_BYTES]

    def end(self) -> None:
        """An object may end anywhere."""


class Gzip:
    """An object in gzip."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._is_within = False
        """Within a member: it has begun, and not ended."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The pieces that a chunk expands to. Raises Refused."""
        for part in _parts(chunk):
            yield from self._expanded(part)
            yield b""  # also of members without content the caller hears soon

    def _expanded(self, chunk: bytes) -> Iterator[bytes]:
        while chunk:
            self._is_within = True
            try:
                piece = self._member.decompress(chunk, IMPORT_PIECE_BYTES)
            except zlib.error as error:
                raise Refused(messages.not_compressed("GZIP"), ends_object=True) from error
            if piece:
                yield piece
            if self._member.eof:
                chunk, self._member = self._member.unused_data, zlib.decompressobj(_GZIP)
                self._is_within = False
            else:
                chunk = self._member.unconsumed_tail

    def end(self) -> None:
        """Raises Refused: a member is cut off."""
        if self._is_within:
            raise Refused(messages.cut_off("GZIP"), ends_object=True)


class Zstd:
    """An object in Zstandard. Raises MissingPackageError: there is no decoder."""

    def __init__(self) -> None:
        self._module = zstd()
        self._frame = self._begun()
        self._is_within = False

    def _begun(self) -> Any:
        # A window larger than that of `zstd` itself is refused, since it would be allocated.
        option = self._module.DecompressionParameter.window_log_max
        return self._module.ZstdDecompressor(options={option: _WINDOW_LOG_MAX})

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The pieces that a chunk expands to. Raises Refused."""
        for part in _parts(chunk):
            yield from self._expanded(part)
            yield b""

    def _expanded(self, chunk: bytes) -> Iterator[bytes]:
        while chunk or (self._is_within and not self._frame.needs_input):
            self._is_within = True
            try:
                piece = self._frame.decompress(chunk, IMPORT_PIECE_BYTES)
            except self._module.ZstdError as error:
                raise Refused(messages.not_compressed("ZSTD"), ends_object=True) from error
            chunk = b""
            if piece:
                yield piece
            if self._frame.eof:
                chunk, self._frame = self._frame.unused_data, self._begun()
                self._is_within = False

    def end(self) -> None:
        """Raises Refused: a frame is cut off."""
        if self._is_within:
            raise Refused(messages.cut_off("ZSTD"), ends_object=True)


def _parts(chunk: bytes) -> Iterator[bytes]:
    for start in range(0, len(chunk), _PART_BYTES):
        yield chunk[start : start + _PART_BYTES]


def zstd() -> Any:
    """The module of Zstandard. Raises MissingPackageError."""
    if sys.version_info >= _IN_STANDARD_LIBRARY:
        return imported("compression.zstd", "hashrange", "ZSTD needs a Python with libzstd")
    return imported("backports.zstd", "backports-zstd", "ZSTD needs the package backports-zstd")


def decompressor(kind: str) -> Decompressor:
    """The decompressor of one object; `kind` is an InputCompressionType."""
    if kind == "GZIP":
        return Gzip()
    return Zstd() if kind == "ZSTD" else Plain()
