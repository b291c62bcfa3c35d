"""A bucket behind an API of S3: that of AWS, or of another server.

The package obstore speaks the protocol, in threads of its own. An upload that a kill interrupts
leaves parts that no reader sees; a lifecycle rule of the bucket removes them.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import msgspec

from hashrange.access.credentials_file import CredentialsFile, CredentialsFileError
from hashrange.backups.objects.bucket import (
    BucketError,
    Failure,
    ObjectDigest,
    ObjectEntry,
    StoredObject,
)
from hashrange.limits.backups import (
    OBJECT_CHUNK_BYTES,
    OBJECT_KEY_BYTES_MAX,
    OBJECT_LIST_PAGE_MAX,
    OBJECT_PART_BYTES,
    OBJECT_PARTS_AT_A_TIME_MAX,
    S3_CONNECT_SECONDS_MAX,
    S3_REQUEST_SECONDS_MAX,
    S3_RETRIES_MAX,
    S3_RETRY_SECONDS_MAX,
)
from hashrange.optional_packages import imported
from hashrange.settings.buckets import S3Location


class ObjectEncryption(msgspec.Struct, frozen=True):
    """How S3 encrypts an object: `AES256`, or `aws:kms` with a key of KMS, or its default one."""

    algorithm: str
    key: str | None = None


class S3Bucket:
    """A bucket behind an API of S3.

    Args:
        name: by which requests name it, for errors.
        location: where it lies.
        encryption: of the objects that are put; None for the default of the bucket.
        storage_class: of these objects; None for STANDARD.

    Raises:
        MissingPackageError: obstore is not installed.
        BucketError: the file of credentials cannot be read.
    """

    def __init__(
        self,
        name: str,
        location: S3Location,
        *,
        encryption: ObjectEncryption | None = None,
        storage_class: str | None = None,
    ) -> None:
        self._name = name
        self._attributes = None if storage_class is None else {"Storage-Class": storage_class}
        self._obstore = imported("obstore", "obstore", "Buckets behind a URL need obstore")
        self._errors = imported("obstore.exceptions", "obstore", "Buckets need obstore")
        stores = imported("obstore.store", "obstore", "Buckets behind a URL need obstore")
        with self._failures(""):
            self._store: Any = stores.S3Store(
                location.bucket,
                config=_config(name, location, encryption),
                client_options={
                    "allow_http": True,
                    "connect_timeout": timedelta(seconds=S3_CONNECT_SECONDS_MAX),
                    "timeout": timedelta(seconds=S3_REQUEST_SECONDS_MAX),
                },
                retry_config={
                    "max_retries": S3_RETRIES_MAX,
                    "retry_timeout": timedelta(seconds=S3_RETRY_SECONDS_MAX),
                },
            )

    async def put(self, key: str, chunks: AsyncIterator[bytes]) -> StoredObject:
        """Store an object. Raises BucketError."""
        _check(key)
        upload = _Chunks(chunks)
        first = await upload.beginning()
        with self._failures(key):
            try:
                stored = await self._obstore.put_async(
                    self._store,
                    key,
                    first if upload.is_small else upload.rest(first),
                    attributes=self._attributes,
                    use_multipart=not upload.is_small,
                    chunk_size=OBJECT_PART_BYTES,
                    max_concurrency=OBJECT_PARTS_AT_A_TIME_MAX,
                )
            except Exception:
                if upload.error is not None:
                    raise upload.error from None
                raise
        found = upload.digest.of(key)
        etag = stored["e_tag"]
        return found if etag is None else msgspec.structs.replace(found, etag=etag.strip('"'))

    async def get(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes of an object. Raises BucketError."""
        _check(key)
        options: dict[str, Any] = {}
        if start or end is not None:
            size_bytes = await self._size(key)
            end = size_bytes if end is None else min(end, size_bytes)
            if start >= end:
                return
            options = {"range": (start, end)}
        with self._failures(key):
            found = await self._obstore.get_async(self._store, key, options=options)
            async for chunk in found.stream(min_chunk_size=OBJECT_CHUNK_BYTES):
                yield bytes(chunk)

    async def list(self, prefix: str) -> AsyncIterator[ObjectEntry]:
        """The objects whose keys begin with a prefix. Raises BucketError."""
        # obstore lists what is below a path; the last part of a prefix may be a part of a name.
        path = prefix.rpartition("/")[0]
        with self._failures(prefix):
            pages = self._obstore.list(
                self._store, prefix=path or None, chunk_size=OBJECT_LIST_PAGE_MAX
            )
            async for page in pages:
                for entry in page:
                    if entry["path"].startswith(prefix):
                        yield ObjectEntry(entry["path"], entry["size"])

    async def size(self, key: str) -> int | None:
        """The size of an object in bytes; None if there is none. Raises BucketError."""
        try:
            return await self._size(key)
        except BucketError as error:
            if error.failure is Failure.NO_SUCH_KEY:
                return None
            raise

    async def small(self, key: str) -> tuple[bytes, str] | None:
        """A small object and its ETag; None if there is none. Raises BucketError."""
        _check(key)
        try:
            with self._failures(key):
                found = await self._obstore.get_async(self._store, key)
                return bytes(await found.bytes_async()), found.meta["e_tag"]
        except BucketError as error:
            if error.failure is Failure.NO_SUCH_KEY:
                return None
            raise

    async def swap(self, key: str, content: bytes, etag: str | None) -> str | None:
        """Put a small object in the place of the one with an ETag, or of none; its new ETag.

        None if the object is another one, or there is one already. Raises BucketError.
        """
        _check(key)
        mode: Any = "create" if etag is None else {"e_tag": etag}
        with self._failures(key):
            try:
                stored = await self._obstore.put_async(
                    self._store, key, content, mode=mode, use_multipart=False
                )
            except (self._errors.PreconditionError, self._errors.AlreadyExistsError):
                return None
        return str(stored["e_tag"])

    async def delete(self, key: str) -> None:
        """Remove an object. Raises BucketError."""
        _check(key)
        with self._failures(key):
            await self._obstore.delete_async(self._store, key)

    async def _size(self, key: str) -> int:
        _check(key)
        with self._failures(key):
            try:
                found = await self._obstore.head_async(self._store, key)
            except FileNotFoundError:
                # The answer to HEAD has no body: that to GET shows whether there is a bucket.
                await self._obstore.get_async(self._store, key, options={"range": (0, 1)})
                raise
            return int(found["size"])

    @contextmanager
    def _failures(self, key: str) -> Iterator[None]:
        """Turns errors of obstore into those of buckets."""
        try:
            yield
        except (self._errors.BaseError, OSError, ValueError) as error:
            failure = self._failure_of(error)
            text = f"{self._name}/{key}: {_brief(error)}"
            if failure is Failure.NO_SUCH_BUCKET:
                text = f"the bucket {self._name} does not exist at its place"
            raise BucketError(failure, text) from error

    def _failure_of(self, error: Exception) -> Failure:
        errors = self._errors
        # obstore has the same error for an absent bucket and an absent object.
        if "<Code>NoSuchBucket</Code>" in str(error):
            return Failure.NO_SUCH_BUCKET
        if isinstance(error, FileNotFoundError):
            return Failure.NO_SUCH_KEY
        if isinstance(
            error, (errors.PermissionDeniedError, errors.UnauthenticatedError, PermissionError)
        ):
            return Failure.ACCESS_DENIED
        if isinstance(error, errors.InvalidPathError):
            return Failure.INVALID_KEY
        return Failure.UNAVAILABLE


class _Chunks:
    """The chunks of an object that is put: small ones as a whole, others in parts."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self.digest = ObjectDigest()
        self.is_small = False
        self.error: Exception | None = None
        """The error that the chunks raised, which obstore would wrap."""

    async def beginning(self) -> bytes:
        """The object, if it is at most one part; the beginning of a larger one."""
        first = bytearray()
        async for chunk in self._chunks:
            await asyncio.to_thread(self.digest.update, chunk)
            first += chunk
            if len(first) > OBJECT_PART_BYTES:
                return bytes(first)
        self.is_small = True
        return bytes(first)

    async def rest(self, first: bytes) -> AsyncIterator[bytes]:
        """The beginning and the rest, in chunks."""
        yield first
        try:
            async for chunk in self._chunks:
                await asyncio.to_thread(self.digest.update, chunk)
                yield chunk
        except Exception as error:
            self.error = error
            raise


def _config(
    name: str, location: S3Location, encryption: ObjectEncryption | None
) -> Mapping[str, str | bool]:
    """The options of obstore; it reads others from the variables of AWS's tools."""
    config: dict[str, str | bool] = {}
    if location.endpoint is not None:
        config["endpoint"] = location.endpoint
    if location.region is not None:
        config["region"] = location.region
    if location.anonymous:
        config["skip_signature"] = True
    if location.credentials is not None:
        config |= _credentials(name, location)
    if encryption is not None:
        config["server_side_encryption"] = encryption.algorithm
        if encryption.key is not None:
            config["sse_kms_key_id"] = encryption.key
    return config


def _credentials(name: str, location: S3Location) -> dict[str, str]:
    """The keys in a file of AWS's form. Raises BucketError."""
    assert location.credentials is not None, "the caller has looked"
    try:
        found = CredentialsFile(location.credentials, location.profile).read("", "s3")
    except CredentialsFileError as error:
        raise BucketError(Failure.ACCESS_DENIED, f"of the bucket {name}: {error}") from error
    keys = {"access_key_id": found.access_key, "secret_access_key": found.secret_key}
    return keys if found.session_token is None else {**keys, "session_token": found.session_token}


def _check(key: str) -> None:
    """Refuse keys that S3 does not have, or that obstore would change. Raises BucketError."""
    if len(key.encode("utf-8", "replace")) > OBJECT_KEY_BYTES_MAX:
        text = f"a key has at most {OBJECT_KEY_BYTES_MAX} bytes"
        raise BucketError(Failure.KEY_TOO_LONG, text)
    if not {"", ".", ".."}.isdisjoint(key.split("/")) or not key.isprintable():
        text = f"the key {key!r} is not supported: it has a part that is empty, . or .., or \
characters that cannot be printed"
        raise BucketError(Failure.INVALID_KEY, text)


def _brief(error: Exception) -> str:
    """The first line of an error; the rest repeats it for developers."""
    return str(error).strip().partition("\n")[0][:500]
