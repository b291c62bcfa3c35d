"""Exports in the engine: their descriptions, by ARN."""

from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from hashrange.model.export_job import ExportJob, ExportState, ExportToken
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.export_keys import export_key, export_token_key, exports_range
from hashrange.tables.paging import pairs

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(ExportJob).decode
token_from: Final = msgspec.json.Decoder(ExportToken).decode
"""The stored token in a value. Raises msgspec.DecodeError."""
_decode_state: Final = msgspec.json.Decoder(ExportState).decode


def export_row(job: ExportJob) -> dict[bytes, bytes]:
    """The key and the value of an export."""
    return {export_key(job.arn): _encode(job)}


def token_row(job: ExportJob, digest: str) -> dict[bytes, bytes]:
    """The key and the value of its token, if it has one."""
    if job.token is None:
        return {}
    token = ExportToken(arn=job.arn, digest=digest, started_ms=job.started_ms)
    return {export_token_key(job.namespace, job.token): _encode(token)}


def export_from(value: bytes) -> ExportJob:
    """The export in a stored value. Raises msgspec.DecodeError."""
    return _decode(value)


async def find_export(engine: Engine, arn: str) -> ExportJob | None:
    """The export with an ARN."""
    (value,) = await engine.read([export_key(arn)])
    return None if value is None else _decode(value)


async def all_exports(engine: Engine) -> AsyncIterator[ExportState]:
    """All exports, in the order of their ARNs."""
    async for _, value in pairs(engine, exports_range()):
        yield _decode_state(value)


async def change_export(
    engine: Engine, arn: str, change: Callable[[ExportJob], ExportJob], fences: Fences
) -> ExportJob | None:
    """Replace an export by the result of `change`, which is pure and may run again.

    Returns the new description; None if there is no such export, or it has ended.
    """
    key = export_key(arn)

    def decide(stored: list[bytes | None]) -> Changes[ExportJob | None]:
        (value,) = stored
        job = None if value is None else _decode(value)
        if job is None or job.ended_ms is not None:
            return Changes(answer=None)
        changed = change(job)
        return Changes(answer=changed, puts={key: _encode(changed)})

    return await engine.write([key], decide, fences=fences)


async def forget_export(engine: Engine, job: ExportState, fences: Fences) -> None:
    """Remove an export and its token; its objects stay."""
    keys = [export_key(job.arn)]
    if job.token is not None:
        keys.append(export_token_key(job.namespace, job.token))

    def decide(stored: list[bytes | None]) -> Changes[None]:
        # The token may be that of a later export.
        own = [value for value in stored[1:] if value and token_from(value).arn == job.arn]
        return Changes(answer=None, deletes=keys if own else keys[:1])

    await engine.write(keys, decide, fences=fences)
