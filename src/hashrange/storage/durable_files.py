"""Files of the data directory that are written as a whole, and are on disk afterwards."""

import os
import sys
from pathlib import Path
from typing import Final

FILE_MODE: Final = 0o600
"""Files of data are for their owner only."""
DIRECTORY_MODE: Final = 0o700


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under another name, and give it its name: it has the old content or the new.

    Raises OSError; then it has the old content.
    """
    unfinished = path.with_name(path.name + ".new")
    descriptor = os.open(
        unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), FILE_MODE
    )
    try:
        rest = memoryview(content)
        while rest:  # a call takes 2 GB at most, and less when the disk is full
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    unfinished.replace(path)
    sync_directory(path.parent)


def sync_file(path: Path) -> None:
    """Make the content of a file durable. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable; Windows has no call for it. Raises OSError."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
