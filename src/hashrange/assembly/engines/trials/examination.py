"""Runs all trials of an engine, one after the other, and collects their results.

The trials are the public functions of the modules named here.
"""

import random
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final, TypeAlias

import msgspec

from hashrange.assembly.engines.trials import (
    concurrency,
    counters_and_logs,
    fences,
    histories,
    reads,
    reopening,
    writes,
)
from hashrange.assembly.engines.trials.load import CLIENTS, Load, run_load
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


Budget: TypeAlias = Callable[[float], Callable[[], bool]]
"""Given a share of the whole time, returns a function that says whether some of it is left."""

FAULTS_MAX: Final = 3
"""Faults of histories and of load that are reported; more of them add no information."""
_HISTORIES: Final = {
    "one caller": (histories.one_caller, 0.2),
    "concurrent callers": (histories.concurrent_callers, 0.3),
}
_LOAD: Final = 0.5


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that the engine broke."""

    sentence: str
    """The promise."""
    reason: str
    """The failed assertion, in one line."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a group of trials."""

    name: str
    figures: str
    """The number of trials, histories or writes, as text."""
    faults: Sequence[Fault]
    """Empty if all trials held."""


def examine(subject: Subject, budget: Budget) -> Iterator[Result]:
    """Run all trials; yields the result of each group when it is complete.

    Raises StorageUnavailableError: the engine cannot be reached.
    """
    for group in GROUPS:
        yield _contract(subject, group)
    for name, (check, share) in _HISTORIES.items():
        yield _random(subject, name, check, budget(share))
    yield _load(subject, budget(_LOAD))


def _contract(subject: Subject, group: str) -> Result:
    trials = [trial for trial in TRIALS if trial.group == group]
    faults = []
    for trial in trials:
        subject.use_empty_subspace()
        reason = fault(trial.check, subject)
        if reason is not None:
            faults.append(Fault(sentence=trial.sentence, reason=reason))
    kept = len(trials) - len(faults)
    return Result(name=group, figures=f"{kept} of {len(trials)} promises", faults=faults)


def _random(
    subject: Subject, name: str, check: Callable[[Subject, int], None], more: Callable[[], bool]
) -> Result:
    faults: list[Fault] = []
    seed = 0
    while (more() or not seed) and len(faults) < FAULTS_MAX:
        subject.use_empty_subspace()
        reason = fault(check, subject, seed)
        if reason is not None:
            faults.append(Fault(sentence=(check.__doc__ or name).strip(), reason=reason))
        seed += 1
    return Result(name=name, figures=f"{seed:,} random histories", faults=faults)


def _load(subject: Subject, more: Callable[[], bool]) -> Result:
    loads: list[Load] = []

    def under_load() -> None:
        subject.use_empty_subspace()
        loads.append(subject.run(run_load(subject.engine, more, random.Random(0)), limited=False))

    reason = fault(under_load)
    problems = [reason] if reason is not None else loads[0].problems[:FAULTS_MAX]
    sentence = "No write of many clients to few keys is lost or counted twice."
    faults = [Fault(sentence=sentence, reason=problem) for problem in problems]
    writes = loads[0].writes if loads else 0
    return Result(
        name="load", figures=f"{writes:,} writes of {CLIENTS} clients to few keys", faults=faults
    )
