"""What long runs have done, in files outside git, so that they go on where they were stopped."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a record, the oldest first; none if there is no record yet."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def add(path: Path, row: dict[str, Any]) -> None:
    """Append a row to a record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def digest_of(texts: Iterable[str], paths: Iterable[Path]) -> str:
    """A name of texts and of the Python files at some paths, and in folders: as they are now."""
    hashed = hashlib.sha256("\0".join(texts).encode())
    for path in paths:
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            hashed.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return hashed.hexdigest()
