"""The records of all objects of a job, object by object, in the order of their keys."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from hashrange.backups.imports.compression import decompressor
from hashrange.backups.imports.ion_text import ion_line_of
from hashrange.backups.imports.item_formats import CsvReader, Line, line_of
from hashrange.backups.imports.lines import LineSplitter, Refused, RowSplitter, apart
from hashrange.backups.objects.bucket import Bucket, BucketError, Failure, ObjectEntry
from hashrange.backups.objects.buckets import Buckets
from hashrange.limits.backups import IMPORT_OBJECTS_MAX
from hashrange.model.import_job import JobSource
from hashrange.model.values import KeyType

BATCH_RECORDS_MAX: Final = 256
"""Records of one batch: some milliseconds of work."""
_DELIMITER: Final = ","


class TooManyObjectsError(Exception):
    """There are more objects under the prefix of a job than it may have."""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Some records of one object, not decoded.

    Attributes:
        position: of the object among all.
        key: of the object.
        first: the index of the first record in the object.
        records: as bytes.
        size_bytes: of the objects, decompressed, since the batch before.
        stored_bytes: of the objects as they are stored, since the batch before.
        decoder: of the object.
        broken: why nothing more can be read of the object; there are no records then.
    """

    position: int
    key: str
    first: int
    records: Sequence[bytes]
    size_bytes: int
    stored_bytes: int
    decoder: "Decoder"
    broken: Refused | None = None

    def lines(self) -> Iterator[tuple[int, Line | Refused]]:
        """The records with their indexes in the object, decoded; headers are left out."""
        if self.broken is not None:
            yield self.first, self.broken
        for index, data in enumerate(self.records, start=self.first):
            try:
                line = self.decoder.decode(data)
            except Refused as refused:
                yield index, refused
                if refused.ends_object:
                    self.decoder.is_over = True
                    return
            else:
                if line is not None:
                    yield index, line


class Decoder:
    """Decodes the records of one object.

    Attributes:
        decode: makes the members of a record, None for a header; raises Refused.
        is_over: nothing more can be read of the object.
    """

    def __init__(self, source: JobSource, types: Mapping[str, KeyType]) -> None:
        self.decode: Callable[[bytes], Line | None] = line_of
        self.is_over = False
        if source.format == "ION":
            self.decode = ion_line_of
        elif source.format == "CSV":
            reader = CsvReader(types, source.delimiter or _DELIMITER, source.headers)
            self.decode = reader.line_of


class _Splitter(Protocol):
    def feed(self, piece: bytes) -> list[bytes]: ...

    def end(self) -> list[bytes]: ...


def bucket_of(buckets: Buckets, source: JobSource) -> Bucket:
    """The bucket of a job. Raises BucketError: it has no location, or another owner."""
    location = buckets.location(source.bucket)
    if location.owner is not None and source.owner != location.owner:
        raise BucketError(Failure.ACCESS_DENIED, f"another account owns the bucket {location.name}")
    return buckets.opened(source.bucket)


async def listed(bucket: Bucket, source: JobSource) -> list[ObjectEntry]:
    """All objects of a job in the order of their keys. Raises BucketError, TooManyObjectsError."""
    found: list[ObjectEntry] = []
    async for entry in bucket.list(source.prefix or ""):
        found.append(entry)
        if len(found) > IMPORT_OBJECTS_MAX:
            raise TooManyObjectsError
    return sorted(found, key=lambda entry: entry.key)


async def batches(
    bucket: Bucket,
    source: JobSource,
    objects: Sequence[ObjectEntry],
    types: Mapping[str, KeyType],
    *,
    done: int = 0,
) -> AsyncIterator[Batch]:
    """The records of objects.

    Args:
        bucket: holds them.
        source: their form.
        objects: in order.
        types: of key attributes, for CSV.
        done: how many of the first objects are left out.

    Raises:
        BucketError: the bucket cannot be read now; objects that are gone are broken batches.
    """
    for position, entry in enumerate(objects[done:], start=done):
        decoder = Decoder(source, types)
        first = 0
        refused: Refused | None = None
        try:
            async for records, piece_bytes, stored_bytes in _records(bucket, source, entry.key):
                for start in range(0, max(len(records), 1), BATCH_RECORDS_MAX):
                    found = records[start : start + BATCH_RECORDS_MAX]
                    yield Batch(
                        position=position,
                        key=entry.key,
                        first=first,
                        records=found,
                        size_bytes=0 if start else piece_bytes,
                        stored_bytes=0 if start else stored_bytes,
                        decoder=decoder,
                    )
                    first += len(found)
                    if decoder.is_over:
                        break
                if decoder.is_over:
                    break
        except Refused as error:
            refused = error
        except BucketError as error:
            if error.failure not in {Failure.NO_SUCH_KEY, Failure.INVALID_KEY}:
                raise
            refused = Refused(str(error))
        if refused is not None:
            yield Batch(
                position=position,
                key=entry.key,
                first=first,
                records=(),
                size_bytes=0,
                stored_bytes=0,
                decoder=decoder,
                broken=refused,
            )


async def _records(
    bucket: Bucket, source: JobSource, key: str
) -> AsyncIterator[tuple[Sequence[bytes], int, int]]:
    """Records of one object, with the bytes that they came with and those that are stored.

    Raises Refused, BucketError.
    """
    splitter: _Splitter = RowSplitter() if source.format == "CSV" else LineSplitter()
    groups = apart if source.format == "DYNAMODB_JSON" else _whole
    expanding = decompressor(source.compression)
    stored_bytes = 0
    async for chunk in bucket.get(key):
        stored_bytes += len(chunk)
        for piece in expanding.feed(chunk):
            size = len(piece)
            for records in groups(splitter.feed(piece)):
                yield records, size, stored_bytes
                size = stored_bytes = 0
    expanding.end()
    for records in groups(splitter.end()):
        yield records, 0, stored_bytes
        stored_bytes = 0


def _whole(records: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Records of which each is one item."""
    yield records
