"""A log that was tampered with is found, with the heads that the engine keeps and without."""

import asyncio

import pytest

from hashrange.api.audit import anchors
from hashrange.api.audit.anchors import Anchor, merged
from hashrange.api.audit.chain import Head, hash_of, linked
from hashrange.api.audit.files import files_in
from hashrange.api.audit.verification import Coverage, findings
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from tests.unit.api.audit.logs import NOW_MS, PLACE, anchors_of, found_in, written


@pytest.fixture
def log(tmp_path):
    """A log of ten records in several files, and the engine of its server."""
    engine = written(tmp_path, 10)
    assert len(files_in(tmp_path)) >= 3
    assert found_in(tmp_path, engine) == []
    assert found_in(tmp_path) == []
    return tmp_path, engine


def paths_of(directory):
    return [directory / file.name for file in files_in(directory)]


def change(path, change_lines):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change_lines(lines)))


def test_a_changed_record(log):
    directory, engine = log
    path = paths_of(directory)[1]
    change(path, lambda lines: [lines[0].replace(b"RecordsDropped", b"RecordsErased"), *lines[1:]])
    assert any("changed" in finding for finding in found_in(directory))
    assert any("changed" in finding for finding in found_in(directory, engine))


# Nothing follows the last record; only the engine knows its hash.
def test_a_changed_last_record(log):
    directory, engine = log
    path = paths_of(directory)[-1]
    change(path, lambda lines: [*lines[:-1], lines[-1].replace(b'"dropped', b'"lost')])
    assert found_in(directory) == []
    assert any("record 10 was changed" in finding for finding in found_in(directory, engine))


def test_a_removed_record(log):
    directory, _ = log
    change(paths_of(directory)[1], lambda lines: lines[1:])
    assert any("follows record" in finding for finding in found_in(directory))


def test_reordered_records(log):
    directory, _ = log
    change(paths_of(directory)[0], lambda lines: [lines[1], lines[0], *lines[2:]])
    assert any("record 2 follows record 0" in finding for finding in found_in(directory))


def test_an_added_record(log):
    directory, engine = log
    path = paths_of(directory)[0]
    forged, _ = linked(b'{"a":1}', files_in(directory)[0].chain, 5, Head(1, "0" * 64))
    change(path, lambda lines: [lines[0], forged + b"\n", *lines[1:]])
    assert found_in(directory, engine)
    change(path, lambda lines: [*lines, b"not a record\n"])
    assert any("not a record" in finding for finding in found_in(directory))


def test_a_cut_end(log):
    directory, engine = log
    change(paths_of(directory)[-1], lambda lines: lines[:-1])
    assert found_in(directory) == []
    (finding,) = found_in(directory, engine)
    assert "1 records after record 9 are missing" in finding


def test_an_end_that_was_cut_within_a_record(log):
    directory, engine = log
    path = paths_of(directory)[-1]
    path.write_bytes(path.read_bytes()[:-3])
    assert any("incomplete" in finding for finding in found_in(directory))
    assert any("missing" in finding for finding in found_in(directory, engine))


def test_a_removed_file(log):
    directory, engine = log
    first, second, *_ = paths_of(directory)
    second.unlink()
    assert any("follows record" in finding for finding in found_in(directory))
    first.unlink()
    assert found_in(directory, engine)


def test_a_removed_chain(log):
    directory, engine = log
    for path in paths_of(directory):
        path.unlink()
    assert found_in(directory) == ["there are no files of an audit log"]
    (finding,) = found_in(directory, engine)
    assert f"its files are gone; it had 10 records, written to {PLACE}" in finding


# Where the log lies now says nothing of what was in it.
def test_a_chain_is_looked_for_wherever_the_log_lies_now(log, tmp_path_factory):
    directory, engine = log
    other = tmp_path_factory.mktemp("other")
    (gone,) = found_in(other, engine)
    assert "its files are gone" in gone
    for path in paths_of(directory):
        (other / path.name).write_bytes(path.read_bytes())
    assert found_in(other, engine) == []
    (other / paths_of(directory)[-1].name).unlink()
    assert any("its end was cut" in finding for finding in found_in(other, engine))


# Servers of one database may each write into a directory of their own.
def test_chains_are_looked_for_in_several_directories(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    engine = written(here, 3)
    written(there, 4, engine=engine, seed=2)
    assert len(found_in(here, engine)) == len(found_in(there, engine)) == 1
    coverage = Coverage()
    assert list(findings([here, there], anchors_of(engine), coverage)) == []
    assert (coverage.records, coverage.chains, coverage.expected) == (7, 2, 2)


# Its file was there before its first record; records of its only second are not in the anchor.
def test_a_chain_that_is_gone_before_its_first_head(tmp_path):
    engine = written(tmp_path, 0)
    assert found_in(tmp_path, engine) == []
    for path in paths_of(tmp_path):
        path.unlink()
    (finding,) = found_in(tmp_path, engine)
    assert "it had 0 records" in finding


def test_rotation_of_a_chain_without_records_is_no_tampering(tmp_path):
    engine = written(tmp_path, 0)
    (first,) = anchors_of(engine)
    written(tmp_path, 30, engine=engine, seed=2, files_max=3)
    assert found_in(tmp_path, engine) == []
    assert first not in anchors_of(engine)


# A process that was killed before it kept its first anchor leaves an empty file.
def test_an_empty_file_of_an_unknown_chain(log):
    directory, engine = log
    (directory / "audit-0000000000001-0000000000000007-000001.jsonl").touch()
    assert found_in(directory, engine) == []


def test_records_after_the_last_head_are_counted(log):
    directory, engine = log
    path = paths_of(directory)[-1]
    line, chain = path.read_bytes().splitlines()[-1], files_in(directory)[0].chain
    added, _ = linked(b'{"a":1}', chain, NOW_MS, Head(10, hash_of(line)))
    with path.open("ab") as file:
        file.write(added + b"\n" + added[:-3])
    coverage = Coverage()
    assert list(findings([directory], anchors_of(engine), coverage)) == []
    assert coverage.unanchored == 2


def test_a_chain_of_another_server(log):
    directory, engine = log
    written(directory, 3, seed=2)
    (finding,) = found_in(directory, engine)
    assert "the data know nothing of it" in finding


# A chain that was written anew with right hashes has another last hash.
def test_a_forged_chain(log, tmp_path_factory):
    directory, engine = log
    other = tmp_path_factory.mktemp("other")
    written(other, 10, file_bytes_max=10**6)
    name = paths_of(directory)[0].name
    for path in paths_of(directory):
        path.unlink()
    (forged,) = paths_of(other)
    (directory / name).write_bytes(forged.read_bytes().replace(b"droppedRecords", b"lostRecords"))
    assert any("changed" in finding for finding in found_in(directory, engine))


# Rotation removes files; the engine knows of it, so it is not a theft.
def test_rotation_is_no_tampering(tmp_path):
    engine = written(tmp_path, 30, files_max=4)
    assert len(files_in(tmp_path)) <= 5
    assert found_in(tmp_path, engine) == []
    (anchor,) = anchors_of(engine).values()
    assert 0 < anchor.removed.sequence < anchor.head.sequence == 30
    oldest = paths_of(tmp_path)[0]
    oldest.unlink()
    assert found_in(tmp_path, engine)


def test_chains_of_ended_processes_are_removed_and_forgotten(tmp_path):
    engine = written(tmp_path, 20, files_max=4)
    first = set(anchors_of(engine))
    written(tmp_path, 30, engine=engine, seed=2, files_max=4)
    assert found_in(tmp_path, engine) == []
    written(tmp_path, 1, engine=engine, seed=3, files_max=4)
    assert found_in(tmp_path, engine) == []
    assert first.isdisjoint(anchors_of(engine))


def test_anchors_only_grow():
    old = Anchor(place=PLACE, began_ms=1, head=Head(5, "a"), removed=Head(2, "b"))
    new = Anchor(place=PLACE, began_ms=2, head=Head(4, "c"), removed=Head(3, "d"))
    expected = Anchor(place=PLACE, began_ms=1, head=Head(5, "a"), removed=Head(3, "d"))
    assert merged(old, new) == expected
    assert merged(None, new) == new


def test_anchors_are_stored_by_chain():
    async def run():
        engine = DictEngine()
        anchor = Anchor(place=PLACE, began_ms=1)
        await anchors.keep(engine, "a", anchor)
        await anchors.keep(engine, "b", anchor)
        await anchors.forget(engine, ["a"])
        return await anchors.stored_anchors(engine)

    assert set(asyncio.run(run())) == {"b"}
