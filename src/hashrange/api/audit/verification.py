"""Checks an audit log: each chain by itself, and against its anchors in the engine."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from hashrange.api.audit.anchors import Anchor
from hashrange.api.audit.chain import ZERO, Head, Walk
from hashrange.api.audit.files import AuditFile, chains_of, files_in, lines_of

FINDINGS_MAX: Final = 1000
"""The most findings that are reported."""
_LINE_BREAK: Final = b"\n"


class Coverage:
    """The extent of a check: filled by `findings`.

    Attributes:
        records: how many there are.
        chains: how many there are.
        expected: chains that should be there: those of the engine, or those that are there.
        unanchored: records after the heads that the engine has; the last may be incomplete.
    """

    def __init__(self) -> None:
        self.records = self.chains = self.expected = self.unanchored = 0


def findings(
    directories: Sequence[Path], anchors: Mapping[str, Anchor] | None, coverage: Coverage
) -> Iterator[str]:
    """A sentence for each inconsistency. Raises OSError.

    Args:
        directories: of the files; each has whole chains.
        anchors: those of the engine, by chain; None to look at the files alone. A chain that has
            one is looked for in the directories, wherever it was written.
        coverage: is filled.
    """
    known = {} if anchors is None else anchors
    found = {directory: chains_of(files_in(directory)) for directory in directories}
    names = set().union(*found.values())
    gone = {chain for chain, each in known.items() if not each.is_removed} - names
    coverage.chains, coverage.expected = len(names), len(names | gone)
    for chain in sorted(gone):
        records, place = known[chain].head.sequence, known[chain].place
        yield f"chain {chain}: its files are gone; it had {records} records, written to {place}"
    if not coverage.expected:
        yield "there are no files of an audit log"
    for directory, chains in found.items():
        for chain, files in chains.items():
            anchor = known.get(chain)
            if anchors is not None and anchor is None and not _is_empty(directory, files):
                yield f"chain {chain}: the data know nothing of it"
            yield from _chain_findings(directory, files, anchor, coverage)


def _is_empty(directory: Path, files: Sequence[AuditFile]) -> bool:
    """Whether a chain has no record: its process was killed before it kept the first anchor."""
    return all((directory / file.name).stat().st_size == 0 for file in files)


def _chain_findings(
    directory: Path, files: list[AuditFile], anchor: Anchor | None, coverage: Coverage
) -> Iterator[str]:
    walk = Walk(files[0].chain, _before(files[0], anchor))
    last = files[-1]
    for file in files:
        for number, raw in enumerate(lines_of(directory / file.name), 1):
            at = f"{file.name}, line {number}"
            if not raw.endswith(_LINE_BREAK) and file is last:
                if anchor is not None and _sequence(walk) >= anchor.head.sequence:
                    coverage.unanchored += 1  # a kill, or a power cut, has cut it
                else:
                    yield f"{at}: the last record is incomplete"
                continue
            fault = walk.step(raw.removesuffix(_LINE_BREAK))
            coverage.records += 1
            if fault is not None:
                yield f"{at}: {fault}"
            if anchor is not None and walk.head is not None:
                is_anchored = walk.head.sequence == anchor.head.sequence
                if is_anchored and walk.head != anchor.head:
                    yield f"{at}: record {walk.head.sequence} was changed"
                coverage.unanchored += walk.head.sequence > anchor.head.sequence
    yield from _cut(last.chain, walk, anchor)


def _before(first: AuditFile, anchor: Anchor | None) -> Head | None:
    """The record before the first file of a chain; None if it is not known."""
    if first.number == 1:
        return Head()
    return None if anchor is None else anchor.removed


def _cut(chain: str, walk: Walk, anchor: Anchor | None) -> Iterator[str]:
    """The finding for a chain that ends before its anchor."""
    if anchor is None:
        return
    last = _sequence(walk)
    if last < anchor.head.sequence and anchor.removed.sequence < anchor.head.sequence:
        missing = anchor.head.sequence - last
        yield f"chain {chain}: its end was cut: {missing} records after record {last} are missing"


def _sequence(walk: Walk) -> int:
    return 0 if walk.head is None else walk.head.sequence


assert Head().hash == ZERO, "the first record follows nothing"
