"""Porcupine, a checker of histories in Go.

The module comes from Go's proxy into Go's own cache, once; then no network is needed.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.clients.programs import run_program
from tests.model.linearizability import Add, Call

PROGRAM = Path(__file__).parent / "porcupine"


def built(directory: Path) -> Callable[[list[list[Call]]], list[bool]]:
    """Builds the program: what it says of each of some histories, whether it has an order."""
    program = directory / "porcupine.exe"
    build = ["go", "build", "-o", str(program), "."]
    done = run_program(build, dict(os.environ), PROGRAM, 200)
    assert done.returncode == 0, done.stderr

    def check(histories: list[list[Call]]) -> list[bool]:
        path = program.with_name("histories.json")
        path.write_text(json.dumps([[described(each) for each in calls] for calls in histories]))
        ended = run_program([str(program), str(path)], dict(os.environ))
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return check


def described(call: Call) -> dict[str, Any]:
    """A call as the program reads it."""
    action = call.action
    amount = action.amount if isinstance(action, Add) else getattr(action, "value", 0)
    return {
        "Action": type(action).__name__,
        "Value": amount,
        "Expected": getattr(action, "expected", None),
        "Called": call.called,
        "Returned": call.returned,
        "Answer": call.answer,
    }
