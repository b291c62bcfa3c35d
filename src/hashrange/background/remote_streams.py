"""A Kinesis data stream of another server, or of AWS, as a target of the changes of a table.

PutRecords may refuse some of its records, and takes the others. So one request has one change of an
item, and the next change is sent once the one before it was taken. What was sent before a position
was stored is sent again after a crash.
"""

import asyncio
from base64 import b64encode
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from typing import Final
from urllib.parse import urlsplit

import msgspec

from hashrange.access.credentials_file import CredentialsFile, CredentialsFileError
from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.api.aws_services.kinesis.requests import StreamResource
from hashrange.background.destination_targets import Change, Put, Receiver
from hashrange.background.posts import Response, in_thread, posted
from hashrange.clock import Clock
from hashrange.limits.kinesis import REMOTE_CALL_SECONDS_MAX, REMOTE_PAGE_RECORDS
from hashrange.messages.tables import destinations as messages
from hashrange.model.log import Shard
from hashrange.settings.stream_endpoints import StreamEndpoint

_SERVICE: Final = "kinesis"
_TARGET: Final = "Kinesis_20131202"
_TEXT_MAX: Final = 300
_THROTTLED: Final = "ProvisionedThroughputExceededException"
_PASSING: Final = frozenset(
    (_THROTTLED, "LimitExceededException", "ThrottlingException", "RequestLimitExceeded")
)
"""Errors of requests that can be accepted later as they are."""
_CLIENT_ERROR: Final = 4
_ANYONE: Final = "local"
"""The keys for servers that do not verify signatures."""


class RemoteError(Exception):
    """The server does not answer, or refuses; the text is for the operator.

    Attributes:
        text: the reason.
        is_final: the same request will be refused again.
    """

    def __init__(self, text: str, *, is_final: bool) -> None:
        super().__init__(text)
        self.text = text
        self.is_final = is_final


class _Fault(msgspec.Struct, frozen=True):
    """An error in JSON 1.1; servers write its text with either letter."""

    type: str = msgspec.field(name="__type", default="")
    message: str = ""
    other_message: str = msgspec.field(name="Message", default="")


class _Entry(msgspec.Struct, frozen=True, rename="pascal"):
    error_code: str | None = None
    error_message: str | None = None


class _Entries(msgspec.Struct, frozen=True, rename="pascal"):
    records: list[_Entry]


class RemoteStream(msgspec.Struct, frozen=True, kw_only=True):
    """A stream of another server.

    Attributes:
        receiver: stores positions.
        table: the number of the table.
        endpoint: the server.
        arn: of the stream.
        named: the parts of the ARN.
        clock: the time of signatures.
        sent: the numbers of records behind the positions of shards that were taken.
    """

    receiver: Receiver
    table: int
    endpoint: StreamEndpoint
    arn: str
    named: StreamResource
    clock: Clock
    sent: dict[int, set[int]]
    page_records: int = REMOTE_PAGE_RECORDS

    async def check(self) -> RemoteError | None:
        """Ask for the stream; why it cannot be used."""
        try:
            await self._call("DescribeStreamSummary", {})
        except RemoteError as error:
            return error
        return None

    async def put(self, shard: Shard, changes: Sequence[Change]) -> Put:
        """As of `Target`; the next of those changes is the first that was not taken."""
        sent = self.sent.setdefault(shard.number, set())
        throttled, failure = 0, None
        try:
            while failure is None and (batch := _next(changes, sent)):
                throttled, failure = await self._send(batch, sent)
        except RemoteError as error:
            failure = error.text
        open_at = (at for at, each in enumerate(changes) if _is_open(each, sent))
        taken = next(open_at, len(changes))
        if taken:
            following = changes[taken - 1].number + 1
            receiver = self.receiver
            await receiver.positions.store(self.table, shard.number, following, receiver.fences)
            sent.difference_update([each.number for each in changes[:taken]])
        return Put(taken, throttled, failure)

    async def _send(self, batch: Sequence[Change], sent: set[int]) -> tuple[int, str | None]:
        """Send changes, and note those that were taken; how many were throttled, and a failure."""
        records = [
            {"Data": b64encode(each.new.data).decode(), "PartitionKey": each.new.partition_key}
            for each in batch
            if each.new is not None
        ]
        body = await self._call("PutRecords", {"Records": records})
        try:
            entries = msgspec.json.decode(body, type=_Entries).records
        except msgspec.MsgspecError as error:
            raise _refusal("an answer to PutRecords that is none", is_final=False) from error
        if len(entries) != len(batch):
            raise _refusal("an answer to PutRecords of another length", is_final=False)
        failures = [each for each in entries if each.error_code is not None]
        sent.update(
            change.number
            for change, entry in zip(batch, entries, strict=True)
            if entry.error_code is None
        )
        throttled = sum(each.error_code == _THROTTLED for each in failures)
        if not failures:
            return 0, None
        first = failures[0]
        return throttled, messages.refused(_brief(f"{first.error_code}: {first.error_message}"))

    async def _call(self, operation: str, members: Mapping[str, object]) -> bytes:
        """The body of the answer to an operation on the stream. Raises RemoteError."""
        named = {"StreamName": self.named.stream, "StreamARN": self.arn}
        body = msgspec.json.encode({**named, **members})
        call = in_thread(lambda: self._answer(operation, body), "kinesis destination")
        answer = await asyncio.shield(call)  # the call goes on when a turn is cancelled
        if isinstance(answer, Exception):
            reason = _brief(str(answer) or type(answer).__name__)
            is_final = isinstance(answer, CredentialsFileError)
            raise RemoteError(messages.no_answer(reason), is_final=is_final) from answer
        if answer.is_success:
            return answer.body
        code, text = _fault_in(answer.body)
        is_final = answer.status // 100 == _CLIENT_ERROR and code not in _PASSING
        raise _refusal(_brief(f"{code or answer.status}: {text}"), is_final=is_final)

    def _answer(self, operation: str, body: bytes) -> Response | Exception:
        """The answer to a request, in a thread; an error is returned."""
        headers = {
            "Host": urlsplit(self.endpoint.url).netloc,
            "Content-Type": "application/x-amz-json-1.1",
            "X-Amz-Target": f"{_TARGET}.{operation}",
        }
        try:
            signed = signed_headers(headers, body, self._credentials(), self.clock.now_ms())
            return posted(self.endpoint.url, body, signed, seconds=REMOTE_CALL_SECONDS_MAX)
        except (OSError, HTTPException, ValueError, CredentialsFileError) as error:
            return error

    def _credentials(self) -> Credentials:
        """The keys, read each time, since programs renew them. Raises CredentialsFileError."""
        file, region = self.endpoint.credentials, self.named.region
        if file is not None:
            return CredentialsFile(file, self.endpoint.profile).read(region, _SERVICE)
        return Credentials(
            access_key=_ANYONE,
            secret_key=_ANYONE,
            session_token=None,
            region=region,
            service=_SERVICE,
        )


def _is_open(change: Change, sent: set[int]) -> bool:
    """Whether a change has still to be sent."""
    return change.new is not None and change.number not in sent


def _next(changes: Sequence[Change], sent: set[int]) -> list[Change]:
    """The first change of each item that has still to be sent."""
    found: dict[str, Change] = {}
    for each in changes:
        if each.new is not None and each.number not in sent:
            found.setdefault(each.new.partition_key, each)
    return [*found.values()]


def _fault_in(body: bytes) -> tuple[str, str]:
    """The code and the text of an error; empty if it has none."""
    try:
        fault = msgspec.json.decode(body, type=_Fault)
    except msgspec.MsgspecError:
        return "", body[:_TEXT_MAX].decode("utf-8", "replace")
    return fault.type.rpartition("#")[2], fault.message or fault.other_message


def _refusal(text: str, *, is_final: bool) -> RemoteError:
    return RemoteError(messages.refused(text), is_final=is_final)


def _brief(text: str) -> str:
    return " ".join(text.split())[:_TEXT_MAX]
