"""Reading logs: all chains by time, forward and backward, from any place."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.audit.chain import Head, linked
from hashrange.api.audit.reading import END, Budget, backward, forward, place_of


def write(directory, chain, times, *, per_file, size):
    """A chain with a record at each time, of different sizes."""
    head, place = Head(), 0
    while place < len(times):
        part = times[place : place + per_file]
        name = f"audit-{part[0]:013}-{chain:016x}-{place // per_file + 1:06}.jsonl"
        lines = []
        for at in part:
            record = json.dumps({"text": "x" * (at * 37 % size)}).encode()
            line, head = linked(record, f"{chain:016x}", at, head)
            lines.append(line + b"\n")
        (directory / name).write_bytes(b"".join(lines))
        place += per_file


def places(lines):
    return [place_of(line) for line in lines]


TIMES = st.lists(st.integers(1, 60), min_size=1, max_size=30).map(sorted)


@given(chains=st.lists(TIMES, min_size=1, max_size=4), per_file=st.integers(1, 9), data=st.data())
def test_backward_is_forward_reversed_from_any_place(tmp_path_factory, chains, per_file, data):
    directory = tmp_path_factory.mktemp("log")
    for chain, times in enumerate(chains):
        write(directory, chain, times, per_file=per_file, size=data.draw(st.integers(1, 200)))
    whole = places(forward(directory))
    assert whole == sorted(whole)
    assert len(whole) == sum(map(len, chains))
    since_ms = data.draw(st.integers(0, 60))
    before = data.draw(st.sampled_from([*whole, END]))
    found = backward(
        directory, before, since_ms, budget=Budget(10**9, block_bytes=64), files_max=100
    )
    expected = [place for place in reversed(whole) if place < before and place[0] >= since_ms]
    assert [each.place for each in found] == expected


# Halving finds a place in a file without reading what comes after it.
def test_a_place_in_a_large_file_is_found_in_few_reads(tmp_path):
    write(tmp_path, 1, list(range(1, 20_001)), per_file=20_000, size=90)
    budget = Budget(10**9, block_bytes=64)
    whole = places(forward(tmp_path))
    found = backward(tmp_path, whole[777], 0, budget=budget, files_max=10)
    assert [next(found).place for _ in range(50)] == list(reversed(whole[727:777]))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert 10**9 - budget.left < size / 20


def test_what_is_no_record_is_left_out(tmp_path):
    write(tmp_path, 1, [1, 2, 3], per_file=3, size=9)
    (path,) = tmp_path.iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = re.sub(rb'"chain":"..', b'"chain":"\xff\xff', lines[0])
    path.write_bytes(b"".join([lines[0], b"{}\n\n\xff\n", damaged, *lines[1:], b'{"cut']))
    assert len(places(forward(tmp_path))) == 3
    found = backward(tmp_path, END, 0, budget=Budget(10**9), files_max=10)
    assert [each.place[0] for each in found] == [3, 2, 1]


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    assert list(forward(tmp_path)) == []
