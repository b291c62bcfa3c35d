"""Text → PartiQL statements and commands of the shell. Pure."""

import re
from typing import Final

_WORDS: Final = {"exit": "\\q", "quit": "\\q", "help": "\\?"}
"""Words that are no statements, which people type: the commands that they mean."""
STATEMENT_CHARS_MAX: Final = 65_536
"""Of text without an end of statement; a server takes at most 8,192 characters."""
_TOKEN: Final = re.compile(
    r"""(?:
      '(?:[^']|'')*'          # a string; a quote in it is doubled
    | "(?:[^"]|"")*"          # a quoted identifier
    | --[^\n]*(?:\n|\Z)       # a comment up to the end of the line
    | /\*.*?\*/               # a comment
    | (?P<end>;)
    | (?P<open>['"]|/\*)      # begins one of the above, which does not end
    | [^'"/;-]+ | [/-]
    )""",
    re.VERBOSE | re.DOTALL,
)
_COMMENT: Final = re.compile(r"--[^\n]*|/\*.*?\*/|\s+", re.DOTALL)


class StatementTooLongError(ValueError):
    """More text than `STATEMENT_CHARS_MAX` without a semicolon outside of quotes."""


class StatementBuffer:
    """Collects lines until they make statements.

    Attributes:
        rest: the text after the last statement that ended.
    """

    def __init__(self) -> None:
        self.rest = ""

    def add(self, text: str) -> list[str]:
        """The statements that end in `text`, without their semicolons.

        A line that begins with a backslash, where no statement is open, is a command: it is
        returned as it is. So are the words exit, quit and help, as their commands. Raises
        StatementTooLongError; the buffer is then empty.
        """
        ended: list[str] = []
        for line in text.splitlines(keepends=True):
            command = line.strip() if line.startswith("\\") else _WORDS.get(_word_of(line))
            if command is not None and is_blank(self.rest):
                ended.append(command)
                self.rest = ""
                continue
            self.rest += line
            if len(self.rest) > STATEMENT_CHARS_MAX and ";" not in line:
                self.rest = ""
                raise StatementTooLongError(
                    f"{STATEMENT_CHARS_MAX:,} characters without a semicolon; they are dropped"
                )
            if ";" in line:
                ended += self._take()
        return ended

    def take_rest(self) -> list[str]:
        """The last statement of a script, which needs no semicolon; empty if there is none."""
        rest, self.rest = self.rest.strip(), ""
        return [] if is_blank(rest) else [rest]

    def _take(self) -> list[str]:
        """Cut the statements that are complete off `rest`."""
        ended: list[str] = []
        start = 0
        for token in _TOKEN.finditer(self.rest):
            if token["open"]:
                break
            if token["end"]:
                statement = self.rest[start : token.start()].strip()
                start = token.end()
                if not is_blank(statement):
                    ended.append(statement)
        self.rest = self.rest[start:]
        return ended


def _word_of(line: str) -> str:
    return line.strip().rstrip(";").rstrip().lower()


def is_blank(text: str) -> bool:
    """Whether a text has white space and comments only."""
    position = 0
    while position < len(text):
        found = _COMMENT.match(text, position)
        if found is None:
            return False
        position = found.end()
    return True
