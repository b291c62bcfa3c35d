"""Whole servers in simulated worlds keep their promises, and the judges see when they do not."""

import asyncio
import gc
import os
import random
import subprocess
import sys

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from tests.effort import effort
from tests.simulation.clients import THROTTLED
from tests.simulation.judges import faults_of
from tests.simulation.loop import passes
from tests.simulation.search import FORMS, digest, judged, searched

_AT_ONCE = 3
"""A test has as many worlds: sixty strong ones take longer than a test may."""
_LONG = {"operated", "strong"}
_PARTS = [
    pytest.param(form, first, marks=[pytest.mark.long] * (form in _LONG))
    for form, plan in FORMS.items()
    for first in range(0, effort(3 if plan.regions > 1 else 6, 60), _AT_ONCE)
]


@pytest.mark.parametrize(("form", "first"), _PARTS)
def test_worlds_are_as_promised(form, first):
    found, _ = searched(first, _AT_ONCE, FORMS[form])
    assert not found


# Other processes have other hashes of texts, other addresses of objects, and no worlds before.
@pytest.mark.parametrize(
    "form",
    [
        "one",
        *(pytest.param(form, marks=pytest.mark.long) for form in FORMS if form != "one"),
    ],
)
def test_equal_seeds_give_equal_worlds_in_any_process(form):
    first, count = 3, effort(1, 10)
    here = [digest(seed, FORMS[form]) for seed in range(first, first + count)]
    for hashes in ("1", "2"):
        command = [sys.executable, "-m", "tests.simulation", "--form", form, "--digests"]
        command += ["--first", str(first), "--count", str(count)]
        environment = {**os.environ, "PYTHONHASHSEED": hashes}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.split() == here


@pytest.mark.long
def test_something_goes_wrong_in_each_form():
    """A search of quiet worlds would find nothing."""
    for plan in FORMS.values():
        _, outcomes = judged(3, plan)
        assert outcomes[0].faults.total() >= plan.disasters
        assert sum(len(outcome.history) for outcome in outcomes) >= 200


@pytest.mark.parametrize(
    ("form", "refusal"), [("throttled", THROTTLED), ("signed", "AccessDeniedException")]
)
def test_requests_are_refused_by_capacity_and_by_policies(form, refusal):
    faults, outcomes = judged(1, FORMS[form])
    refusals = [call.refusal for outcome in outcomes for call in outcome.history]
    assert not faults
    assert refusals.count(refusal) >= 5
    assert refusals.count("") > refusals.count(refusal)


def test_capacity_that_a_table_does_not_have_is_seen():
    plan = FORMS["throttled"]
    _, outcomes = judged(1, plan)
    for call in outcomes[0].history:
        call.units *= 20
    assert "units were written" in faults_of(outcomes, plan)[0]


class _Faulty(DictEngine):
    """A disk that breaks a promise in one of twenty writes, once the table is there."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._drawn, self.writes = random.Random(1), 0

    def breaks(self):
        self.writes += 1
        return self.writes > 20 and self._drawn.random() < 0.05


class LosesWrites(_Faulty):
    """Acknowledges a write that it does not make."""

    async def write(self, keys, decide, **options):
        if self.breaks():
            return decide([self.pairs.get(key) for key in keys]).answer
        return await super().write(keys, decide, **options)


class LosesRecords(_Faulty):
    """Makes a write without its records."""

    async def write(self, keys, decide, **options):
        def without(values):
            changes = decide(values)
            return _replaced(changes, appends=()) if self.breaks() else changes

        return await super().write(keys, without, **options)


class DoublesRecords(_Faulty):
    """Makes the records of a write twice."""

    async def write(self, keys, decide, **options):
        def doubled(values):
            changes = decide(values)
            return _replaced(changes, appends=[*changes.appends] * (1 + self.breaks()))

        return await super().write(keys, doubled, **options)


class TearsWrites(_Faulty):
    """Makes the first half of the puts of a write."""

    async def write(self, keys, decide, **options):
        def torn(values):
            changes = decide(values)
            puts = list(changes.puts.items())
            half = dict(puts[: len(puts) // 2]) if self.breaks() else changes.puts
            return _replaced(changes, puts=half)

        return await super().write(keys, torn, **options)


class DecidesOnOldValues(_Faulty):
    """Decides a write by what its keys were some writes before."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._before = []

    async def write(self, keys, decide, **options):
        self._before = [*self._before[-3:], dict(self.pairs)]

        def late(values):
            old = self._before[0]
            return decide([old.get(key) for key in keys] if self.breaks() else values)

        return await super().write(keys, late, **options)


class ReadsOldValues(_Faulty):
    """Answers a read as it was some writes before."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._before = []

    async def write(self, keys, decide, **options):
        self._before = [*self._before[-3:], dict(self.pairs)]
        return await super().write(keys, decide, **options)

    async def read(self, keys, **options):
        values = await super().read(keys, **options)
        return [self._before[0].get(key) for key in keys] if self.breaks() else values


def _replaced(changes, **members):
    names = ("answer", "puts", "deletes", "adds", "appends")
    return type(changes)(**{name: getattr(changes, name) for name in names} | members)


class ForgetsTasks(_Faulty):
    """Keeps no reference to a task that waits, so that it is collected at some moment."""

    async def write(self, keys, decide, **options):
        if self.breaks():
            asyncio.get_running_loop().create_task(self._wait())
            await passes(0)
            gc.collect()
        return await super().write(keys, decide, **options)

    async def _wait(self):
        await asyncio.get_running_loop().create_future()


def test_a_task_that_is_dropped_is_seen():
    assert "destroyed but it is pending" in judged(0, FORMS["one"], ForgetsTasks)[0][0]


@pytest.mark.parametrize(
    "disk",
    [LosesWrites, LosesRecords, DoublesRecords, TearsWrites, DecidesOnOldValues, ReadsOldValues],
)
@pytest.mark.parametrize("form", ["one", "two"])
def test_a_disk_that_breaks_a_promise_is_seen(form, disk):
    assert any(judged(seed, FORMS[form], disk)[0] for seed in range(3))
