"""Programs in other languages are run here, with an end to their time."""

import shutil
import subprocess
from pathlib import Path

from tests.pace import seconds

SECONDS_MAX = seconds(100)


def run_program(
    command: list[str],
    environment: dict[str, str],
    place: Path | None = None,
    seconds_max: float = SECONDS_MAX,
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, in the folder `place`: its exit code and what it wrote."""
    # With its full name npm is found on Windows too, where it is a script.
    found = shutil.which(command[0]) or command[0]
    return subprocess.run(
        [found, *command[1:]],
        env=environment,
        cwd=place,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds_max,
        check=False,
    )
