"""Worlds of many seeds, what is wrong in each, and the smallest plan that still shows it."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.tables.verifying.verify import findings
from tests.simulation.judges import faults_of
from tests.simulation.loop import StuckError
from tests.simulation.trace import Trace
from tests.simulation.world import Outcome, Plan, simulated

FORMS = {
    "one": Plan(),
    "two": Plan(servers=2),
    "regions": Plan(regions=3),
    "strong": Plan(regions=3, is_strong=True, requests=90),
    "operated": Plan(servers=2, operates=True),
    "throttled": Plan(servers=2, throttles=True),
    "signed": Plan(servers=2, verifies=True),
}
"""The forms of worlds by name."""


def judged(
    seed: int,
    plan: Plan,
    make_disk: type[DictEngine] = DictEngine,
    trace: Trace | None = None,
) -> tuple[list[str], list[Outcome]]:
    """What is wrong in the world of a seed, and its outcomes; none if it does not end."""
    try:
        outcomes = simulated(seed, plan, make_disk, trace)
    except (AssertionError, StuckError) as error:
        return [f"{type(error).__name__}: {error}"], []
    stored = [found for each in outcomes for found in asyncio.run(findings(each.disk))]
    return [*faults_of(outcomes, plan), *stored], outcomes


def digest(seed: int, plan: Plan) -> str:
    """That of the trace of a world: the same in any process."""
    trace = Trace()
    judged(seed, plan, trace=trace)
    return trace.digest()


def smaller(plan: Plan) -> Iterator[Plan]:
    """Plans to try when one fails, the smallest first."""
    for requests in (plan.requests // 4, plan.requests // 2, plan.requests * 3 // 4):
        yield replace(plan, requests=requests)
    if plan.disasters:
        yield replace(plan, disasters=plan.disasters // 2)
    if plan.clients > 2:
        yield replace(plan, clients=plan.clients - 1)


def shrunk(seed: int, plan: Plan) -> Plan:
    """The smallest plan found with which the seed still fails."""
    for each in smaller(plan):
        if each.requests and each != plan and judged(seed, each)[0]:
            return shrunk(seed, each)
    return plan


def searched(first: int, count: int, plan: Plan) -> tuple[dict[int, list[str]], Counter[str]]:
    """The seeds with faults, and what happened in all worlds together."""
    found: dict[int, list[str]] = {}
    happened: Counter[str] = Counter()
    for seed in range(first, first + count):
        faults, outcomes = judged(seed, plan)
        if faults:
            found[seed] = faults
        for outcome in outcomes:
            happened["requests"] += len(outcome.history)
        for outcome in outcomes[:1]:
            happened += outcome.faults
    return found, happened
