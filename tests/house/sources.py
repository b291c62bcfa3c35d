"""The files that the house rules look at."""

import ast
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "hashrange"
_NOT_OURS = {
    ".git",
    ".hypothesis",
    ".import_linter_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".venv",
    "__pycache__",
    "build",
    "dist",
    "hashrange-data",
    "node_modules",
    "results",
}


def relative(path: Path) -> str:
    """The path as the rules and their exceptions name it."""
    return path.relative_to(ROOT).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name not in _NOT_OURS and not path.name.endswith(".egg-info"):
                yield from _walk(path)
        elif path.is_file():
            yield path


FILES = list(_walk(ROOT))
PYTHON = [path for path in FILES if path.suffix == ".py"]
SOURCES = [path for path in PYTHON if PACKAGE in path.parents]
TESTS = [path for path in PYTHON if ROOT / "tests" in path.parents]
MARKDOWN = [path for path in FILES if path.suffix == ".md"]


@cache
def tree(path: Path) -> ast.Module:
    """The parsed module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def comments(path: Path) -> dict[int, str]:
    """Comments by their line number."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
