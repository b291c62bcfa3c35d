"""The faults that are planted, as planted.toml and worlds.toml have them."""

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
    tests: str = ""
    """Files and folders below tests, of which a test should fail."""
    form: str = ""
    """Of the simulated worlds of which one should fail; without tests."""


def _read(name: str) -> tuple[Fault, ...]:
    text = Path(__file__).with_name(name).read_text("utf-8")
    return tuple(Fault(**row) for row in tomllib.loads(text)["fault"])


FAULTS = _read("planted.toml")
FAULTS_OF_WORLDS = _read("worlds.toml")
