"""Exports in the engine: their descriptions, by ARN."""

from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.model.backup import ExportJob, ExportState, ExportToken
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.jobs.descriptions import Descriptions
from hashrange.tables.keys.export_keys import export_key, export_token_key

EXPORTS: Final = Descriptions(ExportJob, export_key)
EXPORT_STATES: Final = Descriptions(ExportState, export_key)
"""The same rows without the lists that grow with an export."""
token_from: Final = msgspec.json.Decoder(ExportToken).decode
"""The stored token in a value. Raises msgspec.DecodeError."""


def token_row(job: ExportJob, digest: str) -> dict[bytes, bytes]:
    """The key and the value of its token, if it has one."""
    if job.token is None:
        return {}
    token = ExportToken(arn=job.arn, digest=digest, started_ms=job.started_ms)
    return {export_token_key(job.namespace, job.token): msgspec.json.encode(token)}


async def change_export(
    engine: Engine, arn: str, change: Callable[[ExportJob], ExportJob], fences: Fences
) -> ExportJob | None:
    """Replace an export by the result of `change`, which is pure and may run again.

    Returns the new description; None if there is no such export, or it has ended.
    """

    def unless_ended(job: ExportJob) -> ExportJob | None:
        return change(job) if job.ended_ms is None else None

    return await EXPORTS.change(engine, arn, unless_ended, fences)


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
