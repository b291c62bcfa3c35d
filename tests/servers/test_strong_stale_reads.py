"""A leader that was stopped while others led and wrote gives no strong read its old state."""

import contextlib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.crash.server import Client, Server
from tests.model.linearizability import Action, Call, Read, Write
from tests.pace import until
from tests.servers.histories import (
    NOTHING_HAPPENED,
    TABLE,
    answered,
    request_of,
    shown,
    unexplained,
)
from tests.servers.strong_regions import EAST, IRELAND, WEST, PlantedRegion, Regions

KEY = "a"
READERS = 10


def note(calls: list[Call], action: Action, called: int, ask: Callable[[], dict[str, Any]]) -> bool:
    """Ask for the answer of a call, and add the call if it may have done something.

    Returns:
        Whether it was answered.
    """
    code, members = answered(ask)
    if not code:
        now, answer = time.monotonic_ns(), shown(members)
        calls.append(Call(action=action, called=called, returned=now, answer=answer))
    elif code not in NOTHING_HAPPENED and action != Read():
        calls.append(Call(action=action, called=called, returned=None))
    return not code


def call_until_answered(calls: list[Call], client: Client, action: Action) -> None:
    operation, request = request_of(action, KEY)
    ask = partial(client.call, operation, **request)
    until(lambda: note(calls, action, time.monotonic_ns(), ask))


def history(directory: Path, kind: type[Server]) -> list[Call]:
    """Reads wait in the sockets of the stopped leader until another one has answered a write."""
    places: dict[str, Path | str] = {each: directory / each for each in (EAST, WEST, IRELAND)}
    operation, request = request_of(Read(), KEY)
    calls: list[Call] = []
    with contextlib.ExitStack() as stack:
        regions = stack.enter_context(Regions(places, kind=kind))

        def client_in(region: str) -> Client:
            return stack.enter_context(contextlib.closing(regions.client_in(region)))

        regions.create(TABLE)
        call_until_answered(calls, client_in(EAST), Write(1))
        leader = regions.leader()
        readers = [client_in(leader) for _ in range(READERS)]
        # In this order: a leader that is cut off soon finds out, if this process stands still then.
        regions.pause(leader)
        regions.links.isolate(leader)
        another = next(each for each in places if each != leader)
        call_until_answered(calls, client_in(another), Write(2))
        called = time.monotonic_ns()
        for reader in readers:
            reader.send(operation, **request)
        regions.resume(leader)
        regions.links.cut()
        for reader in readers:
            note(calls, Read(), called, reader.answer)
        call_until_answered(calls, client_in(leader), Read())
    return calls


def what_was_read(calls: list[Call]) -> set[int | None]:
    return {each.answer for each in calls if each.action == Read()}


def test_no_read_is_stale(tmp_path):
    calls = history(tmp_path, Server)
    assert what_was_read(calls) == {2}
    assert unexplained({KEY: calls}) == {}


def test_a_planted_stale_read_is_found(tmp_path):
    calls = history(tmp_path, PlantedRegion)
    assert 1 in what_was_read(calls)
    assert unexplained({KEY: calls})
