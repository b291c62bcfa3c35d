"""Master keys: their texts, their ids, and where they come from."""

import base64
import sys
from pathlib import Path

import pytest

from hashrange.storage.encryption.master_key import EncryptionKeyError, MasterKey
from hashrange.storage.encryption.sources import KeySource

KEY = bytes(range(100, 132))
NONCE = bytes(12)


@pytest.mark.parametrize(
    "text",
    [KEY.hex(), KEY.hex().upper(), base64.b64encode(KEY).decode(), f"  {KEY.hex()}\r\n"],
)
def test_a_key_is_32_bytes_in_hexadecimal_or_base64(text: str):
    assert MasterKey.of(text, "it").id == MasterKey(KEY).id


# A passphrase, a key that was cut off, and an empty file: none of them is made a key of.
@pytest.mark.parametrize(
    "text",
    ["", "correct horse battery staple", KEY.hex()[:-2], KEY.hex() + "00", "g" * 64, "ü" * 32],
)
def test_other_texts_are_refused(text: str):
    with pytest.raises(EncryptionKeyError, match=r"^it: a key is 32 bytes as 64 hexadecimal"):
        MasterKey.of(text, "it")


@pytest.mark.parametrize(
    "key", [bytes(32), b"\xff" * 32, bytes(range(8)) * 4, b"a passphrase of 32 characters, no"[:32]]
)
def test_keys_that_nobody_has_drawn_are_refused(key: bytes):
    with pytest.raises(EncryptionKeyError, match="not random") as caught:
        MasterKey.of(key.hex(), "it")
    assert key.hex() not in str(caught.value)


# Shown in errors and ARNs, and the same wherever the key is used.
def test_the_id_is_of_the_key_and_does_not_show_it():
    assert MasterKey(KEY).id == MasterKey(KEY).id != MasterKey(KEY[::-1]).id
    assert MasterKey(KEY).id == "d66c0cdc-881e-4349-bb58-71a0eae1c97f"


def test_a_wrapped_key_belongs_to_one_key_and_place():
    master, data_key = MasterKey(KEY), bytes(32)
    wrapped = master.wrapped(data_key, NONCE, b"here")
    assert master.unwrapped(wrapped, NONCE, b"here") == data_key
    assert master.unwrapped(wrapped, NONCE, b"there") is None
    assert MasterKey(KEY[::-1]).unwrapped(wrapped, NONCE, b"here") is None


def test_a_key_is_read_from_a_file_a_text_or_a_command(tmp_path: Path):
    path = tmp_path / "a key"
    path.write_text(KEY.hex())
    show = f'"{sys.executable}" -c "print(open(r\'{path}\').read())"'
    for source in (KeySource(file=path), KeySource(text=KEY.hex()), KeySource(command=show)):
        assert source.read().id == MasterKey(KEY).id


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (KeySource(file=Path("/no/such/file")), "--encryption-key-file .*No such file"),
        (KeySource(text="short"), "HASHRANGE_ENCRYPTION_KEY: a key is"),
        (KeySource(command="/no/such/command"), "--encryption-key-command: No such file"),
        (KeySource(command=f"{sys.executable} -c 'exit(3)'"), "ended with code 3"),
        (KeySource(command=f"{sys.executable} -c 'print(1)'"), "its output: a key is"),
        (KeySource(command="'"), "--encryption-key-command: No closing quotation"),
    ],
)
def test_what_cannot_be_read_is_told(source: KeySource, text: str):
    with pytest.raises(EncryptionKeyError, match=text):
        source.read()


def test_a_key_in_the_directory_that_it_encrypts_is_refused(tmp_path: Path):
    path = tmp_path / "data" / "keys" / "it"
    path.parent.mkdir(parents=True)
    path.write_text(KEY.hex())
    with pytest.raises(EncryptionKeyError, match="must not be in the directory"):
        KeySource(file=path).read(tmp_path / "data")
    assert KeySource(file=path).read(tmp_path / "other").id == MasterKey(KEY).id


def test_a_source_does_not_show_its_key():
    assert KEY.hex() not in repr(KeySource(text=KEY.hex()))
