"""All trials of an engine, one after the other, and what came of them."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.engine_trials import histories
from hashrange.engine_trials.load import CLIENTS, Load, run_load
from hashrange.engine_trials.subject import Subject
from hashrange.engine_trials.trials import GROUPS, TRIALS, fault

Budget: TypeAlias = Callable[[float], Callable[[], bool]]
"""A share of the time → whether some of it is left."""

FAULTS_MAX: Final = 3
"""Of histories and load: more of them say nothing more."""
_HISTORIES: Final = {
    "one caller": (histories.alone, 0.2),
    "callers at once": (histories.together, 0.3),
}
_LOAD: Final = 0.5


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that was not kept, and what was seen instead."""

    sentence: str
    reason: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of some trials; all held if there are no faults."""

    name: str
    figures: str
    faults: Sequence[Fault]


def examine(subject: Subject, budget: Budget) -> Iterator[Result]:
    """Try everything; results come as they are known.

    Raises StorageUnavailableError: the engine is gone.
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
        subject.anew()
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
        subject.anew()
        reason = fault(check, subject, seed)
        if reason is not None:
            faults.append(Fault(sentence=(check.__doc__ or name).strip(), reason=reason))
        seed += 1
    return Result(name=name, figures=f"{seed:,} random histories", faults=faults)


def _load(subject: Subject, more: Callable[[], bool]) -> Result:
    loads: list[Load] = []

    def under_load() -> None:
        subject.anew()
        loads.append(subject.run(run_load(subject.engine, more, random.Random(0)), limited=False))

    reason = fault(under_load)
    problems = [reason] if reason is not None else loads[0].problems[:FAULTS_MAX]
    sentence = "What many clients write to few keys adds up."
    faults = [Fault(sentence=sentence, reason=problem) for problem in problems]
    writes = loads[0].writes if loads else 0
    return Result(
        name="load", figures=f"{writes:,} writes of {CLIENTS} clients to few keys", faults=faults
    )
