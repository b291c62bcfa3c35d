"""Pages of lists of imports and bulk operations, newest first, and the tokens between them. Pure.

A token is hexadecimal: the time (8 bytes) and the digest of the ARN (16) of the last job of a page,
and an authentication code of these (32) with the secret of the engine (`tables.secrets`).
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from hmac import compare_digest
from typing import Final, TypeAlias, TypeVar

from hashrange.errors import invalid
from hashrange.messages.tables.jobs import next_token_invalid
from hashrange.model.import_job import BulkJob, ImportJob

J = TypeVar("J", ImportJob, BulkJob)

Place: TypeAlias = tuple[int, bytes]
"""What jobs are ordered by: the negative time, and the digest of the ARN."""

_TIME_BYTES: Final = 8
_DIGEST_BYTES: Final = 16
_CODE_BYTES: Final = 32
_PERSON: Final = b"list of jobs"


def page_of(
    jobs: Iterable[J], token: str | None, limit: int, secret: bytes
) -> tuple[Sequence[J], str | None]:
    """A page of jobs, and the token of the next page; None if there is none.

    Raises ValidationException: the token was not made with this secret.
    """
    after = None if token is None else _place(token, secret)
    found = sorted((_of(job), job) for job in jobs)
    rest = [job for place, job in found if after is None or place > after]
    page = rest[:limit]
    return page, _token(_of(page[-1]), secret) if len(rest) > limit else None


def _of(job: ImportJob | BulkJob) -> Place:
    digest = blake2b(job.arn.encode(), digest_size=_DIGEST_BYTES).digest()
    return -job.started_ms, digest


def _token(place: Place, secret: bytes) -> str:
    data = (-place[0]).to_bytes(_TIME_BYTES) + place[1]
    return (data + _code(data, secret)).hex()


def _place(token: str, secret: bytes) -> Place:
    try:
        data = bytes.fromhex(token)
    except ValueError as error:
        raise invalid(next_token_invalid(token)) from error
    content, code = data[:-_CODE_BYTES], data[-_CODE_BYTES:]
    if not compare_digest(code, _code(content, secret)):
        raise invalid(next_token_invalid(token))
    return -int.from_bytes(content[:_TIME_BYTES]), content[_TIME_BYTES:]


def _code(data: bytes, secret: bytes) -> bytes:
    return blake2b(data, digest_size=_CODE_BYTES, key=secret, person=_PERSON).digest()
