"""What must be found after a cut: the writes in their order, and how many of them are certain."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hashrange.storage.engine import STAMP_BYTES, Changes

INT64_BYTES = 8


@dataclass(slots=True)
class State:
    """An ordered map with counters and logs, the obvious way."""

    pairs: dict[bytes, bytes] = field(default_factory=dict)
    numbers: dict[bytes, int] = field(default_factory=dict)
    """The next number of each log."""

    def copy(self) -> "State":
        """One that changes on its own."""
        return State(dict(self.pairs), dict(self.numbers))

    def apply(self, changes: Changes[None]) -> None:
        """Make the changes of one write."""
        self.pairs.update(changes.puts)
        for key in changes.deletes:
            self.pairs.pop(key, None)
        for key, amount in changes.adds.items():
            total = int.from_bytes(self.pairs.get(key, b""), signed=True) + amount
            self.pairs[key] = total.to_bytes(INT64_BYTES, signed=True)
        for log, record in changes.appends:
            number = self.numbers.get(log, 1)
            # The clock of the engine stands at 0.
            self.pairs[log + number.to_bytes(INT64_BYTES)] = bytes(STAMP_BYTES) + record
            self.numbers[log] = number + 1


class LostError(AssertionError):
    """What is found is no prefix of the writes that holds all the certain ones."""


class Model:
    """All writes in the order in which they were decided.

    The engine may lose a suffix of them that nobody was told of, and nothing else: so a write is
    there as a whole or not at all, counters are sums, logs are dense and no number is used twice.
    """

    def __init__(self) -> None:
        self._certain = State()
        self.certain_count = 0
        """Writes that must be found."""
        self._uncertain: list[Changes[None]] = []
        self.current = State()
        """After all writes."""

    @property
    def count(self) -> int:
        """Writes decided."""
        return self.certain_count + len(self._uncertain)

    def decided(self, changes: Changes[None]) -> None:
        """One more write; it is the last."""
        self._uncertain.append(changes)
        self.current.apply(changes)

    def told(self, count: int) -> None:
        """Somebody was answered from the first `count` writes: they are certain."""
        news = max(0, count - self.certain_count)
        for changes in self._uncertain[:news]:
            self._certain.apply(changes)
        del self._uncertain[:news]
        self.certain_count += news

    def visible(self) -> Iterator[tuple[int, State]]:
        """What a reader may see, with the number of its writes: nobody was told of more yet."""
        state = self._certain.copy()
        yield self.certain_count, state
        for count, changes in enumerate(self._uncertain, self.certain_count + 1):
            state.apply(changes)
            yield count, state

    def settle(self, found: State) -> None:
        """Take over what the engine has. Raises LostError if it must not have that."""
        state = self._certain.copy()
        survivors = 0
        while state != found:
            if survivors == len(self._uncertain):
                raise LostError(_difference(self._certain, self.current, found))
            state.apply(self._uncertain[survivors])
            survivors += 1
        self._certain, self.current, self._uncertain = state, state.copy(), []
        self.certain_count += survivors


def _difference(certain: State, current: State, found: State) -> str:
    keys = [
        key
        for key in sorted(certain.pairs.keys() | current.pairs.keys() | found.pairs.keys())
        if found.pairs.get(key) not in (certain.pairs.get(key), current.pairs.get(key))
    ]
    return f"keys with a value of no time: {keys}; numbers {found.numbers}, {current.numbers}"
