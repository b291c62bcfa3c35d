"""Judges of a world: whether one order of all calls explains what each client saw.

The records of the stream say in which order the versions of each item came. So no order is
searched: calls are nodes, what one must have seen of another is an edge (write → read → next
write, and answer → later request), and a cycle is what strict serializability forbids.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from operator import attrgetter
from typing import Any

from tests.simulation.clients import Body, Call, Version, version_of
from tests.simulation.world import UNITS, Outcome, Plan

_JUMP_SECONDS = 3
_AHEAD_SECONDS = 4
"""By how much a clock may be ahead after its jumps, and a second for rounding."""


@dataclass(frozen=True)
class Step:
    """What a call did to one item, or all that an atomic call did; nodes of the graph."""

    call: Call
    key: str | None

    def writes(self) -> dict[str, Version]:
        """By key."""
        return _of(self.call.writes, self.key)

    def reads(self) -> dict[str, Version]:
        """By key."""
        return _of(self.call.reads, self.key)

    def replaces(self, key: str) -> bool:
        """Whether what it read of an item is what its own write replaced."""
        written, read = self.writes(), self.reads()
        if not self.call.took_effect or key not in written:
            return False
        return written[key] is not None or read[key] is not None

    def __hash__(self) -> int:
        return hash((id(self.call), self.key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self.call is other.call and self.key == other.key


@dataclass
class _Links:
    """The steps that made and that read each version, by key and position."""

    writers: dict[tuple[str, int], Step] = field(default_factory=dict)
    readers: dict[tuple[str, int], list[Step]] = field(default_factory=lambda: defaultdict(list))


def _of(versions: dict[str, Version], key: str | None) -> dict[str, Version]:
    if key is None:
        return versions
    return {key: versions[key]} if key in versions else {}


def faults_of(outcomes: list[Outcome], plan: Plan) -> list[str]:
    """All that is wrong; empty if the servers kept their promises."""
    asked = {
        version: key
        for outcome in outcomes
        for call in outcome.history
        for key, version in call.writes.items()
        if version is not None
    }
    first = sorted(outcomes[0].items, key=str)
    different = [
        f"replicas have {first} and {each.items}"
        for each in outcomes[1:]
        if sorted(each.items, key=str) != first
    ]
    # All regions of a strong table have one history, which the stream of the first one orders.
    judged = outcomes[:1] if plan.is_strong else outcomes
    return [*different, *_units_over(outcomes, plan)] + [
        fault
        for outcome in judged
        for fault in _faults_of_region(outcome, asked, is_replica=len(judged) > 1)
    ]


def _units_over(outcomes: list[Outcome], plan: Plan) -> Iterator[str]:
    """More capacity than the table had in all the time, with what jumps of clocks have added."""
    if not plan.throttles:
        return
    calls = [call for outcome in outcomes for call in outcome.history]
    seconds = max(call.returned or call.called for call in calls) - calls[0].called
    most = UNITS * (seconds + plan.disasters * _JUMP_SECONDS + plan.servers + 1)
    for kind, is_write in (("written", True), ("read", False)):
        taken = sum(call.units for call in calls if bool(call.writes) == is_write)
        if taken > most:
            yield f"{taken} units were {kind} in {seconds} seconds"


def _faults_of_region(outcome: Outcome, asked: dict[str, str], *, is_replica: bool) -> list[str]:
    try:
        chains, removals = _chains(outcome.records), list(_expired(outcome.records))
        expired = {each for each in removals if not isinstance(each, str)}
        return [
            *(each for each in removals if isinstance(each, str)),
            *_ends(outcome, chains),
            *_effects(outcome.history, chains, asked),
            *_weak_reads(outcome.history, chains),
            *_orders(outcome.history, chains, None if is_replica else expired),
        ]
    except _BrokenChainError as error:
        return [str(error)]


class _BrokenChainError(Exception):
    """A record does not follow the one before it."""


Chains = dict[str, list[Version]]
"""The versions of each item in their order, from the first absence on."""


def _chains(records: list[tuple[str, Body]]) -> Chains:
    chains: Chains = defaultdict(lambda: [None])
    for _, record in records:
        change = record["dynamodb"]
        key = change["Keys"]["pk"]["S"]
        old, new = version_of(change.get("OldImage")), version_of(change.get("NewImage"))
        if chains[key][-1] != old:
            raise _BrokenChainError(f"{key}: {old} → {new} in the stream after {chains[key][-1]}")
        chains[key].append(new)
    return chains


def _ends(outcome: Outcome, chains: Chains) -> Iterator[str]:
    """The table, its index and its stream say the same at the end."""
    last = {key: chain[-1] for key, chain in chains.items() if chain[-1] is not None}
    stored = {item["pk"]["S"]: version_of(item) for item in outcome.items}
    if stored != last:
        yield f"the table has {stored}, its stream ends with {last}"
    wanted = sorted((each for each in outcome.items if "group" in each), key=str)
    for name, indexed in outcome.indexed.items():
        if sorted(indexed, key=str) != wanted:
            yield f"the index {name} has {indexed}, its table {wanted}"
    for shard, numbers in outcome.consumed.items():
        all_of = [each["dynamodb"]["SequenceNumber"] for at, each in outcome.records if at == shard]
        if numbers != all_of:
            yield f"of {shard} a consumer was given {numbers}, and not {all_of}"


def _expired(records: list[tuple[str, Body]]) -> Iterator[tuple[str, Version] | str]:
    """The items that the service removed; or what is wrong with a removal."""
    for _, record in records:
        change = record["dynamodb"]
        if record.get("userIdentity", {}).get("PrincipalId") != "dynamodb.amazonaws.com":
            continue
        item, at = change["OldImage"], change["ApproximateCreationDateTime"]
        if "until" not in item or at < int(item["until"]["N"]) - _AHEAD_SECONDS:
            yield f"removed before its time: {record}"
        yield item["pk"]["S"], version_of(item)


def _effects(history: list[Call], chains: Chains, asked: dict[str, str]) -> Iterator[str]:
    """What was acknowledged happened once, what was refused did not, nothing happened by half."""
    made = {version: key for key, chain in chains.items() for version in chain if version}
    if len(made) != sum(version is not None for chain in chains.values() for version in chain):
        yield "a version was made twice"
    for call in history:
        versions = {key: version for key, version in call.writes.items() if version is not None}
        there = {key for key, version in versions.items() if made.get(version) == key}
        if call.took_effect and there != set(versions):
            yield f"acknowledged, and lost: {call}"
        if call.took_effect is False and there:
            yield f"refused, and done: {call}"
        if call.is_atomic and there and there != set(versions):
            yield f"done by half: {call}"
        for key in there & call.reads.keys() if call.took_effect else ():
            chain = chains[key]
            before = chain[chain.index(versions[key]) - 1]
            if before != call.reads[key]:
                yield f"it replaced {before}, and says otherwise: {call}"
    for version, key in made.items():
        if asked.get(version) != key:
            yield f"nobody asked for version {version} of {key}"


def _weak_reads(history: list[Call], chains: Chains) -> Iterator[str]:
    """What may be old was there once, and not before somebody asked for it."""
    called = {version: call.called for call in history for version in call.writes.values()}
    for call in history:
        if not call.is_weak:
            continue
        for key, version in call.reads.items():
            if version is None:
                continue
            if version not in chains[key] or called.get(version, 0) > (call.returned or 0):
                yield f"{version} of {key} was never there: {call}"


def _orders(
    history: list[Call], chains: Chains, expired: Collection[tuple[str, Version]] | None
) -> Iterator[str]:
    """`expired` are the versions that the service removed; None if other regions remove, too."""
    steps = [step for call in history if not call.is_weak for step in _steps(call)]
    positions = {
        version: position
        for chain in chains.values()
        for position, version in enumerate(chain)
        if version is not None
    }
    links = _Links()
    for step in steps:
        for key, version in step.writes().items():
            if version is not None and version in positions:
                links.writers[key, positions[version]] = step
    yield from _removals(steps, chains, links, expired)
    for step in steps:
        for key, version in step.reads().items():
            if not step.replaces(key):
                yield from _read(step, key, version, (chains[key], positions, links))
    yield from _cycles(steps, chains, links)


def _steps(call: Call) -> Iterator[Step]:
    if call.is_atomic:
        yield Step(call, None)
        return
    for key in call.writes.keys() | call.reads.keys():
        yield Step(call, key)


def _read(
    step: Step, key: str, version: Version, known: tuple[list[Version], dict[str, int], _Links]
) -> Iterator[str]:
    """Find at which version of an item a call has read it; none if it may have been at several."""
    chain, positions, links = known
    if version is not None:
        if version in positions:
            links.readers[key, positions[version]].append(step)
        else:
            yield f"{version} of {key} was never there: {step.call}"
        return
    absent = _absences(step.call, key, chain, links)
    if not absent:
        yield f"{key} was there all the time: {step.call}"
    elif len(absent) == 1:
        links.readers[key, absent[0]].append(step)


def _removals(
    steps: list[Step],
    chains: Chains,
    links: _Links,
    expired: Collection[tuple[str, Version]] | None,
) -> Iterator[str]:
    """Who removed each version: a call that says so, or one of which nobody knows."""
    known: dict[tuple[str, Version], Step] = {}
    unknown: dict[str, int] = defaultdict(int)
    for step in steps:
        for key, version in step.writes().items():
            if version is None and step.call.took_effect and step.reads().get(key) is not None:
                known[key, step.reads()[key]] = step
            elif version is None and step.call.took_effect is None:
                unknown[key] += 1
    for key, position, removed in _removed(chains):
        remover = known.pop((key, removed), None)
        if remover is not None:
            links.writers[key, position] = remover
        elif expired is not None and (key, removed) not in expired:
            unknown[key] -= 1
            if unknown[key] < 0:
                yield f"nobody removed {removed} of {key}"
    for key, version in known:
        yield f"acknowledged, and lost: the removal of {version} of {key}"


def _removed(chains: Chains) -> Iterator[tuple[str, int, Version]]:
    """Keys, positions of absences that follow a version, and those versions."""
    for key, chain in chains.items():
        for position, (before, version) in enumerate(pairwise(chain), 1):
            if version is None:
                yield key, position, before


def _absences(call: Call, key: str, chain: list[Version], links: _Links) -> list[int]:
    """The positions at which a call may have found that an item is not there."""
    found = []
    for position, version in enumerate(chain):
        if version is not None:
            continue
        made, ended = (links.writers.get((key, each)) for each in (position, position + 1))
        if made is not None and call.returned is not None and made.call.called > call.returned:
            continue
        ended_at = None if ended is None else ended.call.returned
        if ended_at is None or ended_at >= call.called:
            found.append(position)
    return found


def _cycles(steps: list[Step], chains: Chains, links: _Links) -> Iterator[str]:
    graph: TopologicalSorter[Any] = TopologicalSorter()
    for later, earlier in [*_seen(chains, links), *_timed(steps)]:
        if later != earlier:
            graph.add(later, earlier)
    try:
        graph.prepare()
    except CycleError as error:
        calls = [each.call for each in error.args[1] if isinstance(each, Step)]
        yield "no order explains: " + "; ".join(map(str, calls))


def _seen(chains: Chains, links: _Links) -> Iterator[tuple[Step, Step]]:
    """Writer → reader → next writer, each pair with the later one first."""
    for key, chain in chains.items():
        for position in range(len(chain)):
            writer, following = (
                links.writers.get((key, each)) for each in (position, position + 1)
            )
            for reader in links.readers[key, position]:
                if writer is not None:
                    yield reader, writer
                if following is not None:
                    yield following, reader
            if writer is not None and following is not None:
                yield following, writer


def _timed(steps: list[Step]) -> Iterator[tuple[Step | int, Step | int]]:
    """An answer comes before each request that was sent after it: the numbers are moments."""
    answered = sorted(
        (step for step in steps if step.call.returned is not None),
        key=attrgetter("call.returned"),
    )
    for number, step in enumerate(answered):
        yield number, step
        if number:
            yield number, number - 1
    moments = [step.call.returned for step in answered]
    for step in steps:
        before = bisect_left(moments, step.call.called)
        if before:
            yield step, before - 1
