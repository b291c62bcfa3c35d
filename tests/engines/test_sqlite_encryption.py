"""Encrypted data directories: what is made, what is refused, what a stop in the middle leaves."""

import asyncio
import itertools
import shutil
from pathlib import Path

import apsw
import pytest

from hashrange.storage.encryption.master_key import EncryptionKeyError, MasterKey
from hashrange.storage.engine import Changes, StorageError, StorageOpenError
from hashrange.storage.sqlite.conversion import convert_directory
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.key_file import (
    KEY_FILE,
    KeyFile,
    changing_keys,
    new_cipher,
    write_key_file,
)
from hashrange.storage.sqlite.page_cipher import PageCipher, connect
from hashrange.storage.sqlite.read_only import opened_read_only
from hashrange.storage.sqlite.rekeying import rewrap, rewrite
from hashrange.storage.sqlite.unlocking import encrypting, no_key, taken, with_key
from hashrange.tables.log.conversion import Converter

GOLDEN = Path(__file__).parent.parent / "golden"
FIRST, SECOND = MasterKey(bytes(range(32))), MasterKey(bytes(range(32, 64)))
KEY, VALUE = b"a key of the item", b"a value of the item"


class Numbers:
    """Random bytes that are none."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def __call__(self, count: int) -> bytes:
        return next(self._numbers).to_bytes(count)


@pytest.fixture
def random_bytes() -> Numbers:
    return Numbers()


def put(engine: SqliteEngine, key: bytes, value: bytes) -> None:
    asyncio.run(engine.write([key], lambda _: Changes(answer=None, puts={key: value})))


def stored(directory: Path, unlock) -> bytes | None:
    with opened_read_only(directory, unlock) as engine:
        return asyncio.run(engine.read([KEY]))[0]


@pytest.fixture
def directory(tmp_path: Path, random_bytes: Numbers) -> Path:
    """With one item, encrypted with the first key."""
    path = tmp_path / "data"
    engine = SqliteEngine.open(taken(path, encrypting(FIRST, random_bytes)))
    put(engine, KEY, VALUE)
    engine.close()
    return path


def rewritten(directory: Path, before, after, random_bytes: Numbers, converter=None) -> list[str]:
    return rewrite(
        directory,
        (before, after),
        converter=converter or Converter(),
        random_bytes=random_bytes,
        report=lambda _: None,
    )


def test_the_data_file_begins_with_the_id_of_its_key(directory: Path):
    keys = KeyFile.read(directory)
    assert [key.id for key in keys.keys] == [(directory / DATA_FILE).read_bytes()[:16]]
    assert keys.master_key_id == FIRST.id


def test_the_key_file_is_private_and_has_no_key(directory: Path):
    path = directory / KEY_FILE
    cipher = with_key(FIRST)(directory)
    assert path.stat().st_mode & 0o777 == 0o600
    for form in (cipher.key, cipher.key.hex().encode()):
        assert form not in path.read_bytes()
    assert cipher.key.hex() not in repr(cipher)


def test_encrypted_data_are_read_with_their_key_alone(directory: Path):
    assert stored(directory, with_key(FIRST)) == VALUE
    with pytest.raises(EncryptionKeyError, match=f"key {FIRST.id}, and the key {SECOND.id}"):
        stored(directory, with_key(SECOND))
    with pytest.raises(EncryptionKeyError, match=f"is encrypted with the key {FIRST.id}"):
        stored(directory, no_key)


# SQLite cannot tell: the key file was taken from another directory of the same master key.
def test_a_key_file_of_other_data_is_refused(directory: Path, tmp_path: Path):
    other = tmp_path / "other"
    taken(other, encrypting(FIRST, Numbers())).release()
    write_key_file(other, [new_cipher(FIRST, lambda count: b"?" * count)], FIRST, Numbers())
    shutil.copy(other / KEY_FILE, directory / KEY_FILE)
    with pytest.raises(StorageOpenError, match="damaged"):
        SqliteEngine.open(taken(directory, with_key(FIRST)))


def test_encrypted_data_without_the_key_file_are_told(directory: Path, random_bytes: Numbers):
    (directory / KEY_FILE).unlink()
    with pytest.raises(StorageOpenError, match=r"hashrange\.keys is missing"):
        taken(directory, encrypting(FIRST, random_bytes))


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"format": 1}'])
def test_a_damaged_key_file_is_told(directory: Path, content: bytes):
    (directory / KEY_FILE).write_bytes(content)
    with pytest.raises(StorageOpenError, match=r"hashrange\.keys is damaged"):
        stored(directory, with_key(FIRST))


@pytest.mark.parametrize("before", ['"format": 1', '"wrapped": "', '"id": "', FIRST.id])
def test_each_change_of_the_key_file_is_noticed(directory: Path, before: str):
    path = directory / KEY_FILE
    text = path.read_text()
    assert before in text
    changed = before[:-1] + ("2" if before[-1] != "2" else "3")
    path.write_text(text.replace(before, before + "A" if before.endswith('"') else changed, 1))
    with pytest.raises(StorageOpenError, match=r"is damaged|format 2"):
        stored(directory, with_key(FIRST))


# A page that was changed, or moved to another place, is an error and no other answer.
@pytest.mark.parametrize("change", ["flipped", "moved"])
def test_pages_are_authentic(directory: Path, change: str):
    path = directory / DATA_FILE
    content = bytearray(path.read_bytes())
    first, second = slice(4096, 8192), slice(8192, 12288)
    if change == "flipped":
        for offset in range(4096 + 100, len(content), 4096):
            content[offset] ^= 1
    else:
        content[first], content[second] = content[second], content[first]
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"malformed|damaged"):
        stored(directory, with_key(FIRST))


def test_plain_data_stay_plain(tmp_path: Path, random_bytes: Numbers):
    SqliteEngine.open(tmp_path).close()
    before = (tmp_path / DATA_FILE).read_bytes()
    with pytest.raises(StorageOpenError, match="hashrange encrypt"):
        taken(tmp_path, encrypting(FIRST, random_bytes))
    assert (tmp_path / DATA_FILE).read_bytes() == before
    assert not (tmp_path / KEY_FILE).exists()
    SqliteEngine.open(taken(tmp_path, with_key(FIRST))).close()  # a key that is not needed


# The same bytes under another key, and another id, which the key file alone would not give.
def test_a_new_data_key_is_another_one(directory: Path, random_bytes: Numbers):
    before = with_key(FIRST)(directory)
    assert rewritten(directory, FIRST, FIRST, random_bytes) == []
    after = with_key(FIRST)(directory)
    assert {before.key, before.key_id}.isdisjoint({after.key, after.key_id})
    assert stored(directory, with_key(FIRST)) == VALUE


class KilledError(Exception):
    """The process ends."""


class Killed(Numbers):
    """Ends the process when a number is drawn."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self._left = left

    def __call__(self, count: int) -> bytes:
        if not self._left:
            raise KilledError
        self._left -= 1
        return (1000 + self._left).to_bytes(count)


# Numbers are drawn before and after each step: of the key, of the key file with both, of the last.
@pytest.mark.parametrize("left", range(5))
@pytest.mark.parametrize(("before", "after"), [(FIRST, FIRST), (FIRST, SECOND)])
def test_a_new_data_key_may_be_killed_between_its_steps(directory: Path, left: int, before, after):
    with pytest.raises(KilledError):
        rewritten(directory, before, after, Killed(left))
    master = before if KeyFile.read(directory).master_key_id == before.id else after
    assert stored(directory, with_key(master)) == VALUE
    engine = SqliteEngine.open(taken(directory, with_key(master)))
    put(engine, b"more", b"of it")
    engine.close()
    rewritten(directory, master, after, Numbers())
    assert len(KeyFile.read(directory).keys) == 1
    assert stored(directory, with_key(after)) == VALUE


@pytest.mark.parametrize("left", range(4))
def test_to_encrypt_may_be_killed_between_its_steps(tmp_path: Path, left: int):
    engine = SqliteEngine.open(tmp_path)
    put(engine, KEY, VALUE)
    engine.close()
    with pytest.raises(KilledError):
        rewritten(tmp_path, None, FIRST, Killed(left))
    is_plain = (tmp_path / DATA_FILE).read_bytes().startswith(b"SQLite format 3")
    assert stored(tmp_path, no_key if is_plain else with_key(FIRST)) == VALUE
    assert is_plain == (left < 3)


# While one writes both keys, another one must not write the key file as it was.
def test_keys_are_changed_by_one_at_a_time(directory: Path, random_bytes: Numbers):
    with changing_keys(directory), pytest.raises(StorageOpenError, match="are being changed"):
        rewrap(directory, FIRST, SECOND, random_bytes=random_bytes)
    rewrap(directory, FIRST, SECOND, random_bytes=random_bytes)
    assert stored(directory, with_key(SECOND)) == VALUE


def test_a_wrong_key_rewraps_nothing(directory: Path, random_bytes: Numbers):
    before = (directory / KEY_FILE).read_bytes()
    with pytest.raises(EncryptionKeyError):
        rewrap(directory, SECOND, FIRST, random_bytes=random_bytes)
    with pytest.raises(EncryptionKeyError):
        rewritten(directory, SECOND, FIRST, random_bytes)
    assert (directory / KEY_FILE).read_bytes() == before


def test_a_directory_without_data_is_encrypted_at_once(tmp_path: Path, random_bytes: Numbers):
    (tmp_path / DATA_FILE).touch()
    rewritten(tmp_path, None, FIRST, random_bytes)
    with pytest.raises(EncryptionKeyError):
        taken(tmp_path, no_key)
    SqliteEngine.open(taken(tmp_path, encrypting(FIRST, random_bytes))).close()
    assert not (tmp_path / DATA_FILE).read_bytes().startswith(b"SQLite")


def test_files_with_pages_of_before_are_named(directory: Path, random_bytes: Numbers):
    (directory / f"{DATA_FILE}-wal.of-17").write_bytes(b"pages")
    assert rewritten(directory, FIRST, None, random_bytes) == [f"{DATA_FILE}-wal.of-17"]


# Data of format 1 are encrypted and converted in one step.
def test_data_of_format_1_are_converted_when_they_are_encrypted(tmp_path, random_bytes):
    shutil.copytree(GOLDEN / "format-1", tmp_path / "data")
    rewritten(tmp_path / "data", None, FIRST, random_bytes)
    engine = SqliteEngine.open(taken(tmp_path / "data", encrypting(FIRST, random_bytes)))
    engine.close()


class Stopped(Converter):
    """Ends the process at a row."""

    def __init__(self, row: int) -> None:
        super().__init__()
        self._left = row

    def value(self, key: bytes, value: bytes) -> bytes:
        if not self._left:
            raise KilledError
        self._left -= 1
        return super().value(key, value)


# An encrypted file of format 1: as a later build will meet one of format 2.
def test_an_encrypted_file_of_an_older_format_is_converted(tmp_path: Path, random_bytes: Numbers):
    path = tmp_path / "data"
    shutil.copytree(GOLDEN / "format-1", path)
    held = taken(path, no_key)
    cipher = new_cipher(FIRST, random_bytes)
    _encrypt_pages(path / DATA_FILE, cipher)
    write_key_file(path, [cipher], FIRST, random_bytes)
    held.cipher = cipher
    with pytest.raises(KilledError):
        convert_directory(held, Stopped(5), page_bytes=4096)
    left = [file for file in path.iterdir() if file.name.startswith(DATA_FILE)]
    assert not any(b"SQLite format" in file.read_bytes() for file in left)
    convert_directory(held, Converter(), page_bytes=4096)
    engine = SqliteEngine.open(held)
    assert asyncio.run(engine.read([Converter().marker[0]])) == [Converter().marker[1]]
    engine.close()
    assert (path / DATA_FILE).read_bytes()[:16] == cipher.key_id


def _encrypt_pages(path: Path, cipher: PageCipher) -> None:
    """Pages as they are, by a copy of SQLite's."""
    target = path.with_name("encrypted")
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    source = connect(path, flags=apsw.SQLITE_OPEN_READWRITE, vfs=None, cipher=None)
    written = connect(target, flags=flags, vfs=None, cipher=cipher)
    names = "SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL"
    for name, sql in source.execute(names).fetchall():
        written.execute(sql)
        rows = source.execute(f"SELECT * FROM {name}").fetchall()
        for row in rows:
            written.execute(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", row)
    for pragma in ("application_id", "user_version"):
        written.pragma(pragma, source.pragma(pragma))
    source.close()
    written.close()
    target.replace(path)
