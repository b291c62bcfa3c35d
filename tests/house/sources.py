"""The files that the house rules look at."""

import ast
import io
import shutil
import subprocess
import tokenize
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "hashrange"
PROJECTS = PACKAGE / "tools" / "templates" / "data"
"""Files of the projects that `hashrange new` writes: programs and tests of their own."""


def relative(path: Path) -> str:
    """The path as the rules and their exceptions name it."""
    return path.relative_to(ROOT).as_posix()


def _files() -> Iterator[Path]:
    """What is in the repository or about to be; without git, whatever lies there."""
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        yield from (ROOT / name for name in listed.split("\0") if name)
    else:
        for place in ("src", "tests", "bench", "docs", "examples"):
            yield from (ROOT / place).rglob("*")
        yield from ROOT.iterdir()


FILES = sorted(path for path in _files() if path.is_file() and "__pycache__" not in path.parts)
PYTHON = [path for path in FILES if path.suffix == ".py"]
SOURCES = [path for path in PYTHON if PACKAGE in path.parents and PROJECTS not in path.parents]
TESTS = [path for path in PYTHON if ROOT / "tests" in path.parents]
MARKDOWN = [path for path in FILES if path.suffix == ".md"]


@cache
def tree(path: Path) -> ast.Module:
    """The parsed module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the parsed module."""
    return tuple(ast.walk(tree(path)))


def breaking(paths: Iterable[Path], find: Callable[[Path], Iterable[Any]]) -> dict[str, list[Any]]:
    """What `find` finds in each file, by the file; nothing of files that keep a rule.

    One test looks at all files, since thousands of tests take longer than what they do.
    """
    return {relative(path): found for path in paths if (found := list(find(path)))}


@cache
def comments(path: Path) -> dict[int, str]:
    """Comments by their line number."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
