"""The faults that are planted, as planted.toml has them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """One text of a file of src, which has it once, and what replaces it."""

    file: str
    text: str
    planted: str
    breaks: str
    tests: str
    """Files and folders below tests, of which a test should fail."""


TABLE = Path(__file__).with_name("planted.toml")
FAULTS = tuple(Fault(**row) for row in tomllib.loads(TABLE.read_text("utf-8"))["fault"])
