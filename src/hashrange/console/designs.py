"""The route of models of tables, which a process with bounds of its own reads.

The text of a model is foreign: a parser may take long or much memory. In another process it can be
killed, and the requests of the server go on meanwhile.
"""

import asyncio
import subprocess
from collections.abc import Sequence
from typing import Literal

import msgspec

from hashrange.console.context import Console, decoded
from hashrange.console.sessions import Session
from hashrange.errors import invalid
from hashrange.limits.server import (
    CONSOLE_DESIGN_SECONDS_MAX,
    CONSOLE_MODEL_BYTES_MAX,
    CONSOLE_MODEL_REQUEST_BYTES_MAX,
)
from hashrange.messages import server as messages
from hashrange.wire.answers import JSON, encode
from hashrange.wire.exchange import Request, Response


class _Export(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    form: str
    of: Literal["model", "design"]
    table: str | None = None


class _Model(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    file: str = ""
    export: _Export | None = None


async def design(console: Console, request: Request, session: Session | None) -> Response:
    """The parts, findings and costs of a model; or the model in another form."""
    console.caller(request, session)
    asked = decoded(request, _Model, CONSOLE_MODEL_REQUEST_BYTES_MAX)
    if len(asked.text.encode()) > CONSOLE_MODEL_BYTES_MAX:
        raise invalid(messages.model_too_long(CONSOLE_MODEL_BYTES_MAX), bare=True)
    members: dict[str, object] = {"text": asked.text, "file": asked.file}
    if asked.export is not None:
        members["form"], members["table"] = asked.export.form, asked.export.table
        members["is_design"] = asked.export.of == "design"
    async with console.inspecting:
        try:
            found = await asyncio.to_thread(
                output_of, console.inspect_command, encode(members), CONSOLE_DESIGN_SECONDS_MAX
            )
        except subprocess.TimeoutExpired as error:
            text = messages.model_takes_long(CONSOLE_DESIGN_SECONDS_MAX)
            raise invalid(text, bare=True) from error
    if found is None:
        raise invalid(messages.no_inspection(), bare=True)
    return Response(200, found, JSON)


def output_of(command: Sequence[str], data: bytes, seconds_max: float) -> bytes | None:
    """The output of a command whose standard input is the data; None if it fails.

    Raises subprocess.TimeoutExpired; the process is killed.
    """
    ended = subprocess.run(  # noqa: S603 - the composition root names the command
        command,
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=seconds_max,
        check=False,
    )
    return ended.stdout if ended.returncode == 0 else None
