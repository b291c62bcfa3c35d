"""Checks an audit log: each chain by itself, and against its anchors in the engine."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from hashrange.audit.anchors import Anchor
from hashrange.audit.chain import ZERO, Head, Walk
from hashrange.audit.files import AuditFile, chains_of, files_in, lines_of

FINDINGS_MAX: Final = 1000
"""The most findings that are reported."""
_LINE_BREAK: Final = b"\n"


class Coverage:
    """What was checked: filled by `findings`.

    Attributes:
        records: how many there are.
        chains: how many there are.
        unanchored: records after the heads that the engine has.
    """

    def __init__(self) -> None:
        self.records = self.chains = self.unanchored = 0


def findings(
    directory: Path, anchors: Mapping[str, Anchor] | None, *, place: str, coverage: Coverage
) -> Iterator[str]:
    """A sentence for each inconsistency. Raises OSError.

    Args:
        directory: of the files.
        anchors: those of the engine, by chain; None to look at the files alone.
        place: host and directory; anchors of other places are only used if their files are here.
        coverage: is filled.
    """
    chains = chains_of(files_in(directory))
    coverage.chains = len(chains)
    for chain, files in chains.items():
        anchor = None
        if anchors is not None:
            anchor = anchors.get(chain)
            if anchor is None:
                yield f"chain {chain}: the data know nothing of it"
        yield from _chain_findings(directory, files, anchor, coverage)
    for chain, anchor in (anchors or {}).items():
        is_gone = chain not in chains and anchor.removed.sequence < anchor.head.sequence
        if is_gone and anchor.place == place:
            yield f"chain {chain}: its files are gone; it had {anchor.head.sequence} records"


def _chain_findings(
    directory: Path, files: list[AuditFile], anchor: Anchor | None, coverage: Coverage
) -> Iterator[str]:
    walk = Walk(files[0].chain, _before(files[0], anchor))
    last = files[-1]
    for file in files:
        for number, raw in enumerate(lines_of(directory / file.name), 1):
            at = f"{file.name}, line {number}"
            if not raw.endswith(_LINE_BREAK) and file is last:
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
    last = 0 if walk.head is None else walk.head.sequence
    if last < anchor.head.sequence and anchor.removed.sequence < anchor.head.sequence:
        missing = anchor.head.sequence - last
        yield f"chain {chain}: its end was cut: {missing} records after record {last} are missing"


assert Head().hash == ZERO, "the first record follows nothing"
