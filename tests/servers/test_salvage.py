"""`hashrange salvage` on damaged files: nothing is missing unnamed, nothing is invented."""

import json
import os
import re
import shutil
from collections import Counter
from random import Random

import pytest
from click.testing import CliRunner

from hashrange.cli.commands import commands
from hashrange.storage.encryption.master_key import KEY_BYTES
from tests.api.tables import keyed
from tests.copying.tables import client_of
from tests.served import served

PAGE_BYTES = 4096
ITEMS = 120
INDEX = {
    "IndexName": "by_kind",
    "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def filled(data, **settings):
    """Two tables, one with an index and a stream, with values in pages of their own, too."""
    with served(memory=False, data=data, **settings) as server:
        client = client_of(server.endpoint)
        definition = keyed(p="S")
        definition["AttributeDefinitions"].append({"AttributeName": "kind", "AttributeType": "S"})
        client.create_table(TableName="carts", **definition, GlobalSecondaryIndexes=[INDEX])
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        client.create_table(TableName="orders", **keyed(p="S"), StreamSpecification=stream)
        for name in ("carts", "orders"):
            for number in range(ITEMS):
                text = "x" * (6000 if number % 30 == 0 else 400)
                item = {"p": f"{name}-{number:03}", "text": text, "kind": f"kind-{number % 5}"}
                client.put_item(
                    TableName=name, Item={each: {"S": value} for each, value in item.items()}
                )
        return items_in(client)


def items_in(client):
    """The items of each table by key, in the order of a Scan."""
    tables = client.list_tables()["TableNames"]
    pages = client.get_paginator("scan").paginate
    return {
        name: {item["p"]["S"]: item for page in pages(TableName=name) for item in page["Items"]}
        for name in tables
    }


def stored_in(data, **settings):
    with served(memory=False, data=data, **settings) as server:
        return items_in(client_of(server.endpoint))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A sound directory, and its items."""
    data = tmp_path_factory.mktemp("salvage") / "data"
    return data, filled(data)


@pytest.fixture
def damage(whole, tmp_path):
    """Makes a copy of the directory whose data file a function has changed."""

    def made(name, change):
        copy = tmp_path / name
        shutil.copytree(whole[0], copy)
        file = copy / "hashrange.db"
        file.write_bytes(change(bytearray(file.read_bytes())))
        return copy

    return made


def zeroed(*pages):
    def change(content):
        for page in pages:
            content[page * PAGE_BYTES : page * PAGE_BYTES + 64] = bytes(64)
        return content

    return change


def salvaged(directory, *options):
    """The exit code, the lines, and the target."""
    target = directory.with_name(f"{directory.name}-target")
    answer = CliRunner().invoke(commands, ["salvage", str(directory), str(target), *options])
    assert answer.exception is None or isinstance(answer.exception, SystemExit), answer.exception
    return answer.exit_code, answer.output, target


def named_in(text, name, keys):
    """The keys of a table that lines say are lost: alone, in a range, or with the table."""
    order = list(keys)
    found = set()
    for line in text.splitlines():
        if not line.startswith("lost: "):
            continue
        if line.startswith("lost: catalog"):
            return set(order)
        if not line.startswith(f"lost: {name}"):
            continue
        if alone := re.search(r"\(its key: (.*)\)", line):
            found.add(json.loads(alone[1])["p"]["S"])
        if " cannot read" not in line and "cannot be read" not in line:
            continue
        after = re.search(r"after (\{\S*\})", line)
        before = re.search(r"before (\{\S*\})", line)
        start = order.index(json.loads(after[1])["p"]["S"]) + 1 if after else 0
        end = order.index(json.loads(before[1])["p"]["S"]) if before else len(order)
        found.update(order[start:end])
    return found


def check(directory, before, *options, **settings):
    """Salvages, and compares with the items before; returns the number that is missing."""
    code, text, target = salvaged(directory, *options)
    if code == 2 or not target.exists():
        assert "Error: " in text, text
        return None
    assert text.splitlines()[-1].endswith("; sound"), text
    after = stored_in(target, **settings)
    missing = 0
    for name, items in before.items():
        kept = after.get(name, {})
        assert all(items.get(key) == item for key, item in kept.items()), text
        gone = items.keys() - kept.keys()
        assert gone <= named_in(text, name, items), (sorted(gone), text)
        missing += len(gone)
    assert set(after) <= set(before)
    assert (code == 1) or not missing, text
    return missing


def pages_of(content, pattern):
    """The pages in which a pattern is found, and how often, the fullest first."""
    matches = re.finditer(pattern, content, re.DOTALL)
    found = Counter(match.start() // PAGE_BYTES for match in matches)
    return [page for page, _ in found.most_common()]


def item_of(name):
    """The pattern of a stored item: format, size, version, region, checksum, JSON."""
    return rb'\x04\x00{2}..\x00[\x05-\x08].{12}\{"p\x01' + name


@pytest.mark.long
def test_each_page(whole, damage):
    pages = (whole[0] / "hashrange.db").stat().st_size // PAGE_BYTES
    missing = [check(damage(f"page-{page}", zeroed(page)), whole[1]) for page in range(pages)]
    counted = [each for each in missing if each is not None]
    assert len(counted) >= pages - 5, "header, root, and the way to the catalog keep all from it"
    assert 0 < sorted(counted)[len(counted) * 9 // 10] < ITEMS


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_bits(whole, damage, seed):
    random = Random(seed)

    def flipped(content):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
        return content

    for number in range(30):
        check(damage(f"bit-{number}", flipped), whole[1])


def test_some_pages_of_items(whole, damage):
    """The items that are left are those of the pages that are whole, also between two damaged."""
    content = (whole[0] / "hashrange.db").read_bytes()
    first, second = sorted(pages_of(content, item_of(b"orders")))[2:6:3]
    alone = check(damage("one", zeroed(first)), whole[1])
    both = check(damage("two", zeroed(first, second)), whole[1])
    assert 0 < alone < both < ITEMS // 2


def test_a_flipped_value_is_left_out_and_named(whole, damage):
    def flipped(content):
        content[re.search(item_of(b"orders-007"), content, re.DOTALL).end() + 40] ^= 4
        return content

    directory = damage("value", flipped)
    code, text, target = salvaged(directory)
    assert code == 1
    assert "lost: orders: the item at " in text
    assert "the checksum does not match" in text
    assert '(its key: {"p":{"S":"orders-007"}})' in text
    assert whole[1]["orders"].keys() - stored_in(target)["orders"].keys() == {"orders-007"}


def test_sound_data(whole, damage):
    directory = damage("sound", bytes)
    before = (directory / "hashrange.db").read_bytes()
    code, text, target = salvaged(directory)
    assert (code, stored_in(target)) == (0, whole[1])
    assert "lost" not in text
    assert "note: orders: its change records are not taken over" in text
    assert (directory / "hashrange.db").read_bytes() == before
    verified = CliRunner().invoke(commands, ["verify", str(target)])
    assert verified.exit_code == 0, verified.output


def test_an_index_is_made_anew(whole, damage):
    content = (whole[0] / "hashrange.db").read_bytes()
    page = pages_of(content, rb'\x04\x00{2}..\x00{10}.{4}\{"p\x01carts')[0]
    code, text, target = salvaged(damage("index", zeroed(page)))
    assert (code, stored_in(target)) == (0, whole[1])
    assert re.search("note: carts: entries of by_kind .* cannot be read: .*; they are made", text)
    assert text.splitlines()[-1] == f"{target}: 2 tables, {2 * ITEMS} items; sound"


def test_an_altered_key_hides_no_others(whole, damage):
    """SQLite ends a range at a key that is behind it, though sound rows follow."""
    content = (whole[0] / "hashrange.db").read_bytes()
    keys = [match.start() for match in re.finditer(rb"\x00\x00\x00\x02\x01", content)]

    def altered(content):
        content[keys[len(keys) // 2]] = 0x40
        return content

    missing = check(damage("key", altered), whole[1])
    assert missing is not None
    assert 0 < missing < ITEMS // 4


def test_encrypted_data(tmp_path):
    key = tmp_path / "key"
    key.write_text(os.urandom(KEY_BYTES).hex())
    settings = {"encrypt": True, "encryption_key_file": key}
    data = tmp_path / "data"
    before = filled(data, **settings)
    file = data / "hashrange.db"
    page = file.stat().st_size // PAGE_BYTES // 2
    with file.open("r+b") as opened:
        opened.seek(page * PAGE_BYTES + 100)
        opened.write(b"damage")
    options = ("--encryption-key-file", str(key))
    assert check(data, before, *options, **settings) is not None
    target = data.with_name("data-target")
    assert not (target / "hashrange.db").read_bytes().startswith(b"SQLite format 3")
    shutil.rmtree(target)
    code, text, target = salvaged(data)
    assert (code, target.exists()) == (2, False)
    assert "key" in text


def test_a_file_that_was_cut_off(whole, damage):
    size = (whole[0] / "hashrange.db").stat().st_size
    directory = damage("cut", lambda content: content[: size // 2 + 100])
    assert check(directory, whole[1])
    _, text, _ = salvaged(damage("cut-again", lambda content: content[: size // 2 + 100]))
    assert f"lost: cannot open {directory}-again/hashrange.db: damaged" in text
    assert "; the pages that are there are read\n" in text


def test_what_cannot_be_opened(whole, damage):
    for name, change in (("zeros", zeroed(0)), ("empty", lambda _: b""), ("root", zeroed(2))):
        code, text, target = salvaged(damage(name, change))
        assert code in {1, 2}, text
        assert "\nError: " in f"\n{text}"
        assert not target.exists()


def test_refusals(whole, tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").touch()
    answer = CliRunner().invoke(commands, ["salvage", str(whole[0]), str(target)])
    assert answer.exit_code == 2
    assert "is not empty" in answer.output
    with served(memory=False, data=tmp_path / "used"):
        code, text, made = salvaged(tmp_path / "used")
    assert (code, made.exists()) == (2, False)
    assert "is in use" in text
    code, text, made = salvaged(tmp_path)
    assert (code, made.exists()) == (2, False)
    assert "holds no data" in text
