"""Operations on jobs: backups, exports, imports and bulk operations, by their ARNs and in lists.

The form of an ARN is checked without the caller; what else can be wrong is notified of those that
are not there. With shared namespaces that is all that is looked at: a job is found by its own ARN,
whoever asks. Source: measured by users, October 2026.

The token of a list is hexadecimal: the time (8 bytes) and the digest of the ARN (16) of the last
job of a page, and an authentication code of these (32) with the secret of the engine
(`tables.catalog.secrets`).
"""

import re
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nlargest
from hmac import compare_digest
from typing import Any, Final, Generic

from hashrange.api.steps.accesses import ResourceKind, on_arn
from hashrange.api.steps.operation import AnyOperation, Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import JOB_ARN_CHARS_MAX, JOB_ARN_CHARS_MIN
from hashrange.messages.tables.backups import foreign_job as foreign_text
from hashrange.messages.tables.backups import invalid_job_arn, next_token_invalid
from hashrange.model.import_job import BulkJob, ImportJob
from hashrange.model.operations import OPERATION_FACTS
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.descriptions import D, Descriptions
from hashrange.tables.jobs.transfers import J
from hashrange.wire.constraints import check, length, required, rows
from hashrange.wire.rules import Form, Row

_FIELDS: Final = 6
_OURS: Final = ("aws", "dynamodb")
_TIME_BYTES: Final = 8
_DIGEST_BYTES: Final = 16
_CODE_BYTES: Final = 32
_PERSON: Final = b"list of jobs"


def foreign_job() -> DynamoError:
    """The error for the ARN of another account's job, which need not exist."""
    return DynamoError(Fault.ACCESS_DENIED, foreign_text())


@dataclass(frozen=True, slots=True, kw_only=True)
class JobArns(Generic[D]):
    """Common parts of operations on jobs of one kind.

    Attributes:
        kind: the word in ARNs, as `backup`.
        title: the word in the text of a refusal.
        member: of requests, which has the ARN.
        stored: the descriptions.
        not_found: makes the error for one that is not there.
        absent: makes the one for an ARN of the caller's account and region, if it is another one.
        elsewhere: makes that for another region, if it is another one.
        wrong: makes that for another partition or service.
    """

    kind: ResourceKind
    title: str
    member: str
    stored: Descriptions[D]
    not_found: Callable[[str], DynamoError]
    absent: Callable[[str], DynamoError] | None = None
    elsewhere: Callable[[str], DynamoError] | None = None
    wrong: Callable[[], DynamoError] = foreign_job

    @property
    def rows(self) -> tuple[Row, ...]:
        """The constraints of the member."""
        return (
            required(self.member),
            length(self.member, JOB_ARN_CHARS_MIN, JOB_ARN_CHARS_MAX),
        )

    def check(self, arn: str) -> None:
        """Refuse a text without the form of the ARN of a job of this kind."""
        fields = arn.split(":", _FIELDS - 1)
        form = rf"table/[a-zA-Z0-9_.-]{{3,255}}/{self.kind}/[0-9A-Za-z-]{{1,64}}"
        if len(fields) < _FIELDS or fields[0] != "arn" or re.fullmatch(form, fields[-1]) is None:
            raise invalid(invalid_job_arn(self.title))

    async def found(self, arn: str, context: RequestContext, catalog: Catalog | None = None) -> D:
        """The job of an ARN, whose form was checked, of a table of a catalog. Raises `missing`."""
        is_there = arn.startswith(arns_of(catalog or context.catalog))
        job = await self.stored.find(context.store.engine, arn) if is_there else None
        if job is None:
            raise self.missing(arn, context)
        return job

    def missing(
        self,
        arn: str,
        context: RequestContext,
        elsewhere: Callable[[str], DynamoError] | None = None,
    ) -> DynamoError:
        """The error for the ARN of a job that is not there, whose form was checked."""
        caller = context.caller
        _, partition, service, region, account, _ = arn.split(":", _FIELDS - 1)
        if account != caller.account or not region:
            return foreign_job()
        if (partition, service) != _OURS:
            return self.wrong()
        absent = self.absent or self.not_found
        if region == caller.region:
            return absent(arn)
        return (elsewhere or self.elsewhere or absent)(arn)

    def operation(
        self,
        name: str,
        request: type[Any],
        run: Callable[[str, RequestContext], Coroutine[Any, Any, Outcome]],
    ) -> AnyOperation:
        """The row of an operation on one job, whose request has its ARN alone."""
        constraints = rows(*self.rows)

        def checked(sent: Any) -> str:
            check(sent, constraints, Form.MODEL)
            arn = str(getattr(sent, self.member))
            self.check(arn)
            return arn

        return Operation(
            facts=OPERATION_FACTS[name],
            request=request,
            check=checked,
            accesses=lambda arn: on_arn(name, self.kind, arn),
            not_found=self.not_found,
            foreign=foreign_job,
            elsewhere=self.elsewhere or self.not_found,
            run=run,
        )

    def describing(
        self, name: str, request: type[Any], describe: Callable[[D], object]
    ) -> AnyOperation:
        """The row of an operation that describes one job."""

        async def run(arn: str, context: RequestContext) -> Outcome:
            return Outcome(describe(await self.found(arn, context)))

        return self.operation(name, request, run)


def arns_of(catalog: Catalog) -> str:
    """The prefix of the ARNs of the jobs of a catalog's tables."""
    if not catalog.prefix:
        return ""
    account, region, _ = catalog.prefix.split(":")
    return f"arn:aws:dynamodb:{region}:{account}:table/"


def newest_first(
    jobs: Iterable[D], order: Callable[[D], Any], after: object, limit: int
) -> tuple[Sequence[D], D | None]:
    """A page of jobs, and the last of them if another page follows.

    Args:
        jobs: in any order.
        order: what they are ordered by, which grows with their time.
        after: that of the last one of the page before; None for the first page.
        limit: of the page.
    """
    left = (job for job in jobs if after is None or order(job) < after)
    found = nlargest(limit + 1, left, key=order)
    return found[:limit], found[limit - 1] if len(found) > limit else None


def page_of(
    jobs: Iterable[J], token: str | None, limit: int, secret: bytes
) -> tuple[Sequence[J], str | None]:
    """A page of jobs, newest first, and the token of the next page; None if there is none.

    Raises ValidationException: the token was not made with this secret.
    """
    after = None if token is None else _position_of(token, secret)
    page, last = newest_first(jobs, _position, after, limit)
    return page, None if last is None else _token(last, secret)


def _position(job: ImportJob | BulkJob) -> tuple[int, bytes]:
    return job.started_ms, blake2b(job.arn.encode(), digest_size=_DIGEST_BYTES).digest()


def _token(job: ImportJob | BulkJob, secret: bytes) -> str:
    time_ms, digest = _position(job)
    data = time_ms.to_bytes(_TIME_BYTES) + digest
    return (data + _code(data, secret)).hex()


def _position_of(token: str, secret: bytes) -> tuple[int, bytes]:
    try:
        data = bytes.fromhex(token)
    except ValueError as error:
        raise invalid(next_token_invalid(token)) from error
    content, code = data[:-_CODE_BYTES], data[-_CODE_BYTES:]
    if not compare_digest(code, _code(content, secret)):
        raise invalid(next_token_invalid(token))
    return int.from_bytes(content[:_TIME_BYTES]), content[_TIME_BYTES:]


def _code(data: bytes, secret: bytes) -> bytes:
    return blake2b(data, digest_size=_CODE_BYTES, key=secret, person=_PERSON).digest()
