"""`hashrange inspect-model`: inspects a model for the console; only a server starts it."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
import sys

import click

from hashrange.cli.refusals import Refusal


@click.command(name="inspect-model", hidden=True)
def inspect_model() -> None:
    """Read a request from standard input and write its answer; the server's console starts it.

    The text of a model is foreign: this process has bounds of its own, and may be killed.
    """
    import msgspec

    from hashrange.limits.server import (
        CONSOLE_DESIGN_ANSWER_BYTES_MAX,
        CONSOLE_DESIGN_CPU_SECONDS_MAX,
        CONSOLE_DESIGN_MEMORY_BYTES_MAX,
    )
    from hashrange.tools.design.inspecting import ModelRequest, answered
    from hashrange.tools.models.files import json_text

    if sys.platform != "win32":
        import resource

        bounds = (CONSOLE_DESIGN_MEMORY_BYTES_MAX, CONSOLE_DESIGN_MEMORY_BYTES_MAX)
        resource.setrlimit(resource.RLIMIT_AS, bounds)
        seconds = (CONSOLE_DESIGN_CPU_SECONDS_MAX, CONSOLE_DESIGN_CPU_SECONDS_MAX)
        resource.setrlimit(resource.RLIMIT_CPU, seconds)
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=ModelRequest)
    try:
        answer = json_text(answered(asked), indent=-1).encode()
    except UnicodeEncodeError:
        answer = b'{"fault":{"text":"it has a text that is not UTF-8","line":null}}'
    if len(answer) > CONSOLE_DESIGN_ANSWER_BYTES_MAX:
        raise Refusal("the answer is too large")
    sys.stdout.buffer.write(answer)
