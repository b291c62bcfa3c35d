"""Every engine keeps the contract: `hashrange.assembly.engines.trials` has the trials."""

import random
from pathlib import Path

import pytest

from hashrange.assembly.engines.trials.examination import TRIALS, Trial
from hashrange.assembly.engines.trials.load import run_load
from tests.engines.openers import DURABLE, ENGINES, subject_of

TWO = {"postgres-two"}
"""Trials of two servers are long."""
MEETINGS = [
    pytest.param(trial, name, id=f"{trial.name}-{name}", marks=[pytest.mark.long] * (name in TWO))
    for trial in TRIALS
    for name in ENGINES
    if name in DURABLE or not trial.reopens
]


@pytest.mark.parametrize(("trial", "name"), MEETINGS)
def test_the_engine_keeps_its_contract(trial: Trial, name: str, tmp_path: Path):
    with subject_of(name, tmp_path) as subject:
        trial.check(subject)


LOAD_WRITES = 300


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "dict"])
def test_many_clients_on_few_keys_add_up(name: str, tmp_path: Path):
    with subject_of(name, tmp_path) as subject:
        begun = iter(range(LOAD_WRITES))
        more = (index is not None for index in begun)
        load = subject.run(run_load(subject.engine, lambda: next(more, False), random.Random(name)))
    assert load.problems == []
    assert 0 < load.writes <= LOAD_WRITES
    assert load.definition > 1
    assert load.followed == load.writes
