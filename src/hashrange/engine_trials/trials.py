"""Which trials there are: every public function of these modules."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final

from hashrange.engine_trials import (
    counters_and_logs,
    fences,
    meetings,
    reads,
    reopening,
    writes,
)
from hashrange.engine_trials.subject import Subject
from hashrange.storage.engine import StorageUnavailableError

_MODULES: Final[dict[str, ModuleType]] = {
    "reads": reads,
    "writes": writes,
    "fences": fences,
    "counters and logs": counters_and_logs,
    "callers that meet": meetings,
    "opened again": reopening,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A promise of the contract, and how it is tried."""

    group: str
    name: str
    check: Callable[[Subject], None]
    reopens: bool
    """It needs an engine that keeps its data."""

    @property
    def sentence(self) -> str:
        """What is promised."""
        return (self.check.__doc__ or self.name).partition("\n")[0]


def _trials() -> Iterator[Trial]:
    for group, module in _MODULES.items():
        for name, check in vars(module).items():
            is_own = isinstance(check, FunctionType) and check.__module__ == module.__name__
            if is_own and not name.startswith("_"):
                yield Trial(group=group, name=name, check=check, reopens=module is reopening)


TRIALS: Final = tuple(_trials())
GROUPS: Final = tuple(_MODULES)


def fault(act: Callable[..., None], *asked: object) -> str | None:
    """Why a trial does not hold, in a line; None if it does.

    Raises StorageUnavailableError: the engine is gone, which says nothing of its promises.
    """
    try:
        act(*asked)
    except StorageUnavailableError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the engine did not do as promised
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if Path(frame.filename).parent == Path(__file__).parent]
        frame = own[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        said = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        return f"{said} ({place}: {frame.line})"
    return None
