"""Performs a definition in memory, so that it is refused in the words of the service."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from hashrange.access.signatures.canonical import ANONYMOUS_ACCOUNT
from hashrange.api.aws_services.scaling.requests import ScalingContext
from hashrange.api.aws_services.scaling.service import AUTO_SCALING
from hashrange.api.steps.operation import Caller
from hashrange.assembly.engines.kinds import opened
from hashrange.clock import Clock
from hashrange.errors import ApiError, DynamoError
from hashrange.settings.settings import Settings
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tools.copying.local import LocalPlace
from hashrange.tools.copying.place import RefusedError, ask
from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.choices import DesignError
from hashrange.tools.design.steps import Step, check_members, steps_of
from hashrange.wire.codec import Decoder
from hashrange.wire.service import execute

_SHOWN: Final = "this process"
_CALLER: Final = Caller(ANONYMOUS_ACCOUNT, "us-east-1", "localhost")


async def refuse(definition: TableDefinition, clock: Clock) -> None:
    """Raise DesignError, in DynamoDB's words, if the table cannot be made with its settings.

    Alarms are not performed: nothing of them depends on the definition.
    """
    check_members(definition)
    try:
        msgspec.json.encode(definition)
    except UnicodeEncodeError as error:
        raise DesignError(f"{error.object!r:.200} is not text in UTF-8") from error
    await _refuse(definition, clock)
    if definition.scaling is not None and not definition.is_provisioned:
        await _refuse(definition.provisioned(), clock)


async def _refuse(definition: TableDefinition, clock: Clock) -> None:
    async with _perform(clock) as perform:
        for step in steps_of(definition):
            if step.service == "cloudwatch":
                continue
            try:
                await perform(step)
            except RefusedError as error:
                raise DesignError(error.text or error.code) from error
            except DynamoError as error:
                raise DesignError(error.message or error.fault.code) from error
            except ApiError as error:
                raise DesignError(error.text or error.name) from error


@asynccontextmanager
async def _perform(clock: Clock) -> AsyncIterator[Callable[[Step], Awaitable[Any]]]:
    """Performs requests on tables in memory, which are gone at the end of the context."""
    async with opened(Settings(memory=True)) as storage:
        place = LocalPlace(_SHOWN, storage.engine, clock, separate=False)
        context = ScalingContext(
            rows=ScalingRows(storage.engine),
            alarms=AlarmRows(storage.engine, clock.random_bytes),
            catalog=Catalog(storage.engine),
            scope="",
            account=_CALLER.account,
            region=_CALLER.region,
            now_ms=clock.now_ms(),
            new_id=clock.new_uuid,
        )

        async def perform(step: Step) -> Any:
            if step.service == "dynamodb":
                return await ask(place, _CALLER, step.operation, step.request)
            operation = AUTO_SCALING.operations()[step.operation]
            request = Decoder(operation.request).decode(msgspec.json.encode(step.request))
            return await execute(operation, request, context)

        yield perform
