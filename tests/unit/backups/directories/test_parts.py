"""The pure parts of backups of directories: which are kept, manifests, chunks."""

from datetime import UTC, datetime
from hashlib import sha256

import msgspec
import pytest

from hashrange.backups.directories.chunks import generation_of, hash_of, name_in, packed, unpacked
from hashrange.backups.directories.manifests import (
    BackupError,
    Manifest,
    Totals,
    decoded,
    encoded,
    id_of,
    made_ms_of,
)
from hashrange.backups.directories.retention import retention_of
from hashrange.backups.directories.target import Contents
from hashrange.settings.rules import interval_ms
from tests.rows import rows

DAY = 24 * 3600 * 1000
NOON = int(datetime(2026, 11, 22, 12, tzinfo=UTC).timestamp() * 1000)  # a Sunday


def kept(rule, *ages):
    return [
        (NOON - made) / DAY for made in retention_of(rule).kept(NOON - age * DAY for age in ages)
    ]


@rows(
    ("rule", "ages", "left"),
    [
        ("all", (3, 0, 9), [0, 3, 9]),
        ("last=2", (3, 0, 9), [0, 3]),
        ("daily=2", (0, 0.1, 1, 1.1, 2), [0, 1]),
        ("daily=3", (5, 9, 30, 31), [5, 9, 30]),
        ("weekly=2", (0, 1, 6, 7, 13, 14), [0, 7]),
        ("monthly=2", (0, 21, 22, 23, 60), [0, 22]),
        ("last=1,monthly=2", (1, 2, 40), [1, 40]),
        ("monthly=1", (), []),
    ],
)
def test_rule_keeps_the_newest_of_each_period(rule, ages, left):
    assert kept(rule, *ages) == left


@pytest.mark.parametrize(
    "text", ["", "7", "last=0", "last=1,last=2", "yearly=1", "last=1,", "last=99999"]
)
def test_rule_that_makes_no_sense(text):
    with pytest.raises(ValueError, match="last=7,daily=14"):
        retention_of(text)


@pytest.mark.parametrize(
    ("text", "ms"), [("30m", 1_800_000), ("6h", 21_600_000), ("1d", DAY), ("5s", 5000)]
)
def test_intervals(text, ms):
    assert interval_ms(text) == ms


@pytest.mark.parametrize("text", ["", "0h", "6", "1.5h", "h", "1w"])
def test_interval_that_makes_no_sense(text):
    with pytest.raises(ValueError, match="an interval such as"):
        interval_ms(text)


def test_ids_are_moments():
    assert id_of(NOON + 7) == "20261122T120000.007Z"
    assert made_ms_of("20261122T120000.007Z") == NOON + 7
    assert made_ms_of("20261322T120000.007Z") is None
    assert made_ms_of("newest") is None


# By the times of backups it is known which are old: the newest is never one of them.
@pytest.mark.parametrize(
    ("newest", "now_ms", "made_ms"),
    [
        (None, NOON, NOON),
        (NOON - 1, NOON, NOON),
        (NOON, NOON, NOON + 1),
        (NOON + 3_600_000, NOON, NOON + 3_600_001),
    ],
)
def test_a_backup_is_later_than_those_before_it(newest, now_ms, made_ms):
    keys = {} if newest is None else {id_of(newest): "a", id_of(newest - 5000): "b"}
    contents = Contents(keys=keys, void=[], generation=1, cleaned=1, is_clean=True)
    assert contents.later_than_all(now_ms) == made_ms


MANIFEST = Manifest(
    id=id_of(NOON), made_ms=NOON, data_id="d", data_bytes=3, chunk_bytes=2, chunks=["a", "b"]
)


# Each byte that is lost or changed is found: a manifest is what makes a backup of chunks.
def test_manifest_of_which_a_part_is_there_is_none():
    stored = encoded(MANIFEST)
    assert msgspec.structs.replace(decoded(stored), checksum="") == MANIFEST
    for size in range(0, len(stored), 7):
        with pytest.raises(BackupError):
            decoded(stored[:size])
    with pytest.raises(BackupError, match="checksum"):
        decoded(stored.replace(b'"data_bytes":3', b'"data_bytes":4'))


# As builds of formats 1 and 2 have stored them: without totals, which the checksum does not have.
@pytest.mark.parametrize("number", [1, 2])
def test_manifests_of_earlier_builds_are_read(number):
    members = {
        "format": number,
        "id": id_of(NOON),
        "made_ms": NOON,
        "data_id": "d",
        "data_bytes": 3,
        "chunk_bytes": 2,
        "chunks": ["a", "b"],
        "key_file": None,
        "master_key_id": None,
        "checksum": "",
        **({} if number == 1 else {"tables_format": 2, "counts": {"1": 3}}),
    }
    summed = sha256(msgspec.json.encode(members)).hexdigest()
    found = decoded(msgspec.json.encode({**members, "checksum": summed}))
    assert (found.format, found.totals) == (number, msgspec.UNSET)
    totals = msgspec.structs.replace(MANIFEST, totals=Totals(2, 7))
    assert decoded(encoded(totals)).totals == Totals(2, 7)


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_chunks_are_known_by_their_content(is_encrypted):
    content = b"page" * 1000
    name, stored = name_in(26, hash_of(content)), packed(content, is_encrypted=is_encrypted)
    assert (len(stored) < len(content)) is not is_encrypted
    assert unpacked(name, stored, len(content)) == content
    for damaged in (b"", stored[:-20], stored[:9] + b"?" + stored[10:]):
        with pytest.raises(BackupError, match="is damaged"):
            unpacked(name, damaged, len(content))
    assert generation_of(name) == 26
    # As builds without generations have named it.
    assert unpacked(hash_of(content), stored, len(content)) == content
    assert (generation_of(hash_of(content)), generation_of("x-y")) == (0, None)
    # A bomb is not inflated.
    with pytest.raises(BackupError, match="is damaged"):
        unpacked(name, packed(b"x" * 10**6, is_encrypted=False), len(content))
