"""The prompt of a terminal: lines are edited, remembered and completed by prompt-toolkit."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output
from rich.console import Console

from hashrange.cli.prompt.completion import KnownNames, candidates
from hashrange.cli.prompt.session import QUIT, Session, print_items, refusal_of
from hashrange.cli.prompt.statements import StatementBuffer, StatementTooLongError
from hashrange.tools.copying.place import CopyError

_READY: Final = "hashrange> "
_CONTINUED: Final = "        -> "
_MORE: Final = "Enter for the next page, q to end: "
_PRIVATE: Final = 0o600


class NameCompleter(Completer):
    """Proposes keywords, and the names that a session has met."""

    def __init__(self, known: KnownNames) -> None:
        self._known = known

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterator[Completion]:
        """The words that the text before the cursor may go on with."""
        before = document.text_before_cursor
        start, words = candidates(before, self._known)
        for word in words:
            yield Completion(word, start_position=start - len(before))


class Prompt:
    """Reads statements from a terminal and prints their answers.

    Args:
        terminal_input, terminal_output: instead of those of the process, for tests.
    """

    def __init__(
        self,
        session: Session,
        console: Console,
        history: Path | None,
        *,
        terminal_input: Input | None = None,
        terminal_output: Output | None = None,
    ) -> None:
        self._session = session
        self._console = console
        self._lines: PromptSession[str] = PromptSession(
            history=_history(history),
            completer=NameCompleter(session.known),
            complete_while_typing=False,
            input=terminal_input,
            output=terminal_output,
        )
        self._answers: PromptSession[str] = PromptSession(
            input=terminal_input, output=terminal_output
        )

    async def run(self) -> None:
        """Read up to the command to quit or the end of input; a fault ends its statement only."""
        with contextlib.suppress(CopyError):
            await self._session.learn()
        async for statement in self._statements():
            if statement == QUIT:
                return
            try:
                await self._run(statement)
            except CopyError as error:
                self._console.print(refusal_of(error), style="red", markup=False)
            except KeyboardInterrupt:
                self._console.print("stopped; the server may have carried it out")

    async def _statements(self) -> AsyncIterator[str]:
        """Statements that end, and commands, as they are typed; Ctrl-C drops what is open."""
        buffer = StatementBuffer()
        while True:
            try:
                line = await self._lines.prompt_async(_CONTINUED if buffer.rest else _READY)
                ended = buffer.add(line + "\n")
            except KeyboardInterrupt:
                buffer = StatementBuffer()
                continue
            except StatementTooLongError as error:
                self._console.print(str(error), style="red", markup=False)
                continue
            except EOFError:
                return
            if not buffer.rest.strip():
                buffer = StatementBuffer()
            for statement in ended:
                yield statement

    async def _run(self, statement: str) -> None:
        if statement.startswith("\\"):
            self._console.print(await self._session.command(statement), markup=False)
            return
        async for page in self._session.pages(statement):
            print_items(page, self._session.form, self._console)
            self._console.print(page.summary, style="dim", markup=False)
            if page.has_more and not await self._wants_more():
                return

    async def _wants_more(self) -> bool:
        try:
            answer = await self._answers.prompt_async(_MORE)
        except (KeyboardInterrupt, EOFError):
            return False
        return not answer.strip().lower().startswith("q")


def _history(path: Path | None) -> History:
    """Statements may hold data of users: their file is for its owner alone."""
    if path is None:
        return InMemoryHistory()
    try:
        path.touch(mode=_PRIVATE)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))
