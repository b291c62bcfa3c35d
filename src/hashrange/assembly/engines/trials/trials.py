"""The list of trials: every public function of the modules named here."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final

from hashrange.assembly.engines.trials import (
    concurrency,
    counters_and_logs,
    fences,
    reads,
    reopening,
    writes,
)
from hashrange.assembly.engines.trials.subject import Subject
from hashrange.storage.engine import StorageUnavailableError

_MODULES: Final[dict[str, ModuleType]] = {
    "reads": reads,
    "writes": writes,
    "fences": fences,
    "counters and logs": counters_and_logs,
    "concurrency": concurrency,
    "reopening": reopening,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A promise of the contract, with the function that tries it."""

    group: str
    name: str
    check: Callable[[Subject], None]
    reopens: bool
    """It reopens the engine, so the engine must be durable."""

    @property
    def sentence(self) -> str:
        """The promise: the first line of the function's docstring."""
        return (self.check.__doc__ or self.name).partition("\n")[0]


def _trials() -> Iterator[Trial]:
    for group, module in _MODULES.items():
        for name, check in vars(module).items():
            is_own = isinstance(check, FunctionType) and check.__module__ == module.__name__
            if is_own and not name.startswith("_"):
                yield Trial(group=group, name=name, check=check, reopens=module is reopening)


TRIALS: Final = tuple(_trials())
GROUPS: Final = tuple(_MODULES)


def fault(check: Callable[..., None], *arguments: object) -> str | None:
    """Run a check; returns the error that it raised in one line, None if it held.

    Raises StorageUnavailableError: the engine cannot be reached, so it was not tried.
    """
    try:
        check(*arguments)
    except StorageUnavailableError:
        raise
    except Exception as error:  # noqa: BLE001 - any error is a broken promise
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if Path(frame.filename).parent == Path(__file__).parent]
        frame = own[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        return f"{text} ({place}: {frame.line})"
    return None
