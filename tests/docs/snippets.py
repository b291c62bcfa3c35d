"""The code on a page of documentation, run from top to bottom as its reader would.

Fences marked `python` are one Python session, those marked `sh` or `bash` one shell: variables,
exports and the current folder go on from block to block. A fence marked `text` is all that was
printed since the one before; a line of `...` in it stands for any lines. What a page prints and
does not show is a fault of the page. A fence after the line

    <!-- not run: it does not end -->

is left out, and must say why. Other fences are for reading only.
"""

import contextlib
import io
import linecache
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3

from tests.pace import seconds

ADDRESS = "127.0.0.1:8000"
"""Where the server listens, on every page."""
SHELLS = ("sh", "bash")
RUN = (*SHELLS, "python")
SECONDS_MAX = seconds(60)
FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>\w*)[^`]*")
NOT_RUN = re.compile(r"\s*<!-- not run\b:?(?P<reason>.*)-->")


class PageError(Exception):
    """The page is wrong: what is, and where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fence of a page."""

    language: str
    code: str
    line: int
    """Where the code begins in the page, from 1."""
    left_out: str | None
    """Why it is not run."""


def blocks(text: str) -> Iterator[Block]:
    """The fences of a page, in order."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.fullmatch(lines[at])
        if opening is None:
            at += 1
            continue
        begin, indent = at + 1, len(opening["indent"])
        closing = opening["indent"] + opening["ticks"]
        if closing not in lines[begin:]:
            raise PageError(f"line {begin}: this fence is never closed")
        at = lines.index(closing, begin)
        code = "".join(f"{line[indent:]}\n" for line in lines[begin:at])
        left_out = _reason(lines[begin - 2], begin - 1) if begin > 1 else None
        yield Block(language=opening["language"], code=code, line=begin + 1, left_out=left_out)
        at += 1


def _reason(line: str, number: int) -> str | None:
    mark = NOT_RUN.fullmatch(line)
    if mark is None:
        return None
    if not mark["reason"].strip():
        raise PageError(f"line {number}: say why it is not run")
    return mark["reason"].strip()


@dataclass(kw_only=True)
class Reader:
    """Somebody who types what a page says: a shell and a Python session."""

    page: str
    address: str
    """Of the server that stands in for the one at ADDRESS."""
    folder: Path
    scratch: Path
    """An empty folder for what has to be kept between blocks."""
    environment: dict[str, str] = field(init=False)
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})

    def __post_init__(self) -> None:
        """Begins with a machine on which nothing is set up for AWS, but the tools are there."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.environment = kept | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            # No page may reach AWS, even one that forgets to say where the server is.
            "AWS_ENDPOINT_URL": f"http://{self.address}",
        }

    def read(self, text: str) -> int:
        """Runs a page, and compares what it prints; gives the number of blocks that were run.

        Raises:
            PageError: a block fails, or prints something else than the page shows.
        """
        printed, ran = "", 0
        for block in blocks(text):
            if block.language == "text":
                if not _matches(block.code, printed):
                    raise PageError(f"{self._at(block)} shows:\n{block.code}printed:\n{printed}")
                printed = ""
            elif block.language in RUN and not block.left_out:
                run = self._run_python if block.language == "python" else self._run_shell
                printed += run(block).replace(self.address, ADDRESS)
                ran += 1
        if printed:
            raise PageError(f"{self.page} prints, and does not show:\n{printed}")
        return ran

    def _at(self, block: Block) -> str:
        return f"{self.page}:{block.line}"

    def _run_shell(self, block: Block) -> str:
        kept = self.scratch / "environment"
        code = block.code.replace(ADDRESS, self.address)
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{code}\nenv -0 >'{kept}'"],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )
        if ended.returncode or ended.stderr:
            raise PageError(f"{self._at(block)} ended with {ended.returncode}:\n{ended.stderr}")
        pairs = kept.read_text("utf-8").rstrip("\0").split("\0")
        self.environment = dict(pair.split("=", 1) for pair in pairs)
        self.folder = Path(self.environment["PWD"])
        return ended.stdout

    def _run_python(self, block: Block) -> str:
        # Empty lines before it give tracebacks the line numbers of the page.
        code = "\n" * (block.line - 1) + block.code.replace(ADDRESS, self.address)
        linecache.cache[self.page] = (len(code), None, code.splitlines(keepends=True), self.page)
        with (
            contextlib.redirect_stdout(io.StringIO()) as printed,
            contextlib.chdir(self.folder),
            patch.dict(os.environ, self.environment, clear=True),
            # The session that boto3 keeps for all: each page begins without.
            patch.object(boto3, "DEFAULT_SESSION", self.names.get("__session__")),
        ):
            try:
                exec(compile(code, self.page, "exec"), self.names)
            except Exception as error:
                raise PageError(f"{self._at(block)} raised {error!r}") from error
            self.names["__session__"] = boto3.DEFAULT_SESSION
        return printed.getvalue()


def _matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; a line of `...` stands for any number of lines."""
    pieces = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, printed) is not None
