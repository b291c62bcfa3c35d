"""The changes of several writes as one."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, TypeVar

from hashrange.storage.engine import Changes
from hashrange.tables.write_plans import WriteResult

A = TypeVar("A")

_answer: Final = attrgetter("answer")


def joined(changes: Sequence[Changes[WriteResult[A]]]) -> Changes[list[WriteResult[A]]]:
    """The changes of several writes as one; their answers in order."""
    puts: dict[bytes, bytes] = {}
    deletes: list[bytes] = []
    adds: dict[bytes, int] = {}
    appends: list[tuple[bytes, bytes]] = []
    for one in changes:
        puts.update(one.puts)
        if one.deletes:
            deletes.extend(one.deletes)
        if one.appends:
            appends.extend(one.appends)
        for key, amount in one.adds.items():
            adds[key] = adds.get(key, 0) + amount
    answers = list(map(_answer, changes))
    return Changes(answer=answers, puts=puts, deletes=deletes, adds=adds, appends=appends)
