"""Statements of SQL that are typed at the prompt of `hashrange sql`."""

from collections.abc import AsyncIterator
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from hashrange.cli.prompt.session import QUIT
from hashrange.cli.prompt.statements import StatementBuffer, StatementTooLongError

_READY: Final = "sql> "
_CONTINUED: Final = "  -> "


async def typed_statements(
    terminal_input: Input | None = None, terminal_output: Output | None = None
) -> AsyncIterator[str]:
    """Statements that end in a semicolon, up to the command to quit or the end of input.

    Ctrl-C drops the statement that is open. The arguments are instead of those of the process, for
    tests.
    """
    lines: PromptSession[str] = PromptSession(
        history=InMemoryHistory(), input=terminal_input, output=terminal_output
    )
    buffer = StatementBuffer()
    while True:
        try:
            line = await lines.prompt_async(_CONTINUED if buffer.rest else _READY)
            ended = buffer.add(line + "\n")
        except (KeyboardInterrupt, StatementTooLongError):
            buffer = StatementBuffer()
            continue
        except EOFError:
            return
        if not buffer.rest.strip():
            buffer = StatementBuffer()
        for statement in ended:
            if statement == QUIT:
                return
            yield statement
