"""Handlers that run in a Task, for engines that need one."""

import asyncio

from hashrange.wire.exchange import Handler, Request, Response


def in_tasks(handler: Handler) -> Handler:
    """A handler that runs each request in a Task.

    For engines whose database drivers need the current task, as asyncpg does.
    """

    async def respond(request: Request) -> Response:
        return await asyncio.get_running_loop().create_task(handler(request))

    return respond
