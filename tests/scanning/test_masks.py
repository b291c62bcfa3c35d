"""`--mask` of scan, copy and dump: no personal data, and references that still match."""

import json

import pytest

from tests.copying.conftest import serving
from tests.scanning.filled import items_in, make, put

USERS = [
    {
        "pk": {"S": f"user{n}@mail.test"},
        "name": {"S": f"Anna Lind {n}"},
        "born": {"S": f"19{80 + n}-02-03"},
        "salary": {"N": f"{4000 + n}.5"},
        "phones": {"SS": [f"+46 70 {n}", f"+46 71 {n}"]},
        "address": {"M": {"street": {"S": f"Storgatan {n}"}, "city": {"S": "Lund"}}},
        "contacts": {"L": [{"M": {"phone": {"S": f"070-{n}"}}}, {"S": "none"}]},
        "friend": {"S": f"user{(n + 1) % 8}@mail.test"},
    }
    for n in range(8)
]
MASKS = (
    *("--mask", "pk=hash", "--mask", "friend=hash", "--mask", "name=fake", "--mask", "born=fake"),
    *("--mask", "salary=fake", "--mask", "phones=fake", "--mask", "address.street=drop"),
    *("--mask", "contacts.phone=hash", "--mask-key", "secret"),
)


@pytest.fixture
def users(client):
    make(client, "users")
    put(client, USERS, "users")
    return client


def check(items):
    """Nothing of the originals is left, and the keys are still unique and referred to."""
    text = json.dumps(items)
    for gone in ("mail.test", "Anna", "Lind", "Storgatan", "+46 70", "070-", "4003.5"):
        assert gone not in text
    assert "Lund" in text, "it is not masked"
    keys = {item["pk"]["S"] for item in items}
    assert len(keys) == len(USERS)
    assert keys == {item["friend"]["S"] for item in items}
    assert all(len(item["phones"]["SS"]) == 2 for item in items)
    assert all(item["address"]["M"].keys() == {"city"} for item in items)
    assert all(float(item["salary"]["N"]) > 0 for item in items)


def test_scan_copy_and_dump_mask_alike(users, account, run):
    lines = run("scan", "users", "--typed", *MASKS).stdout.splitlines()
    scanned = [json.loads(line) for line in lines]
    check(scanned)
    dumped = [json.loads(line) for line in run("dump", "users", *MASKS).stdout.splitlines()]
    by_key = {item["pk"]["S"]: item for item in scanned}
    for item in dumped:
        same = by_key[item["pk"]["S"]]
        assert {**item, "phones": sorted(item["phones"]["SS"])} == {
            **same,
            "phones": sorted(same["phones"]["SS"]),
        }
    with serving(None) as (client, url):
        ended = run("copy", account.endpoint, url, *MASKS)
        assert ended.stdout.endswith("copied and verified.\n")
        copied = items_in(client, "users")
    check(copied)
    assert {item["pk"]["S"] for item in copied} == by_key.keys()


def test_another_key_gives_other_masks(users, run):
    first, second = (
        run("scan", "users", "--mask", "pk=hash", "--mask-key", key).stdout for key in "ab"
    )
    keys = [{json.loads(line)["pk"] for line in text.splitlines()} for text in (first, second)]
    assert keys[0].isdisjoint(keys[1])
    variable = run("scan", "users", "--mask", "pk=hash", HASHRANGE_MASK_KEY="a").stdout
    assert sorted(variable.splitlines()) == sorted(first.splitlines())


# Without a key one is made and kept, so that masks of two commands match, and nobody knows it.
def test_without_a_key_one_is_kept(users, run, tmp_path):
    home = {"HOME": str(tmp_path)}
    first, second = (run("scan", "users", "--mask", "pk=fake", **home).stdout for _ in range(2))
    assert sorted(first.splitlines()) == sorted(second.splitlines())
    kept = tmp_path / ".hashrange_mask_key"
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_text("no key")
    assert "give --mask-key" in run("scan", "users", "--mask", "pk=fake", code=2, **home).stderr


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        ("pk=drop", "--mask pk=drop: it is a key attribute, which every item needs"),
        ("name", "--mask name: give ATTRIBUTE=hash, ATTRIBUTE=fake or ATTRIBUTE=drop"),
        ("name=hide", "--mask name=hide: give ATTRIBUTE=hash"),
        ("a..b=hash", "--mask a..b=hash: give ATTRIBUTE=hash"),
    ],
)
def test_bad_masks_are_refused(users, account, run, mask, text):
    for command in (["scan", "users"], ["dump", "users"], ["copy", account.endpoint, "to"]):
        ended = run(*command, "--mask", mask, "--mask-key", "k", code=2)
        assert ended.stderr.startswith(f"hashrange: {text}")
        assert ended.stderr.count("\n") == 1


# A name that is misspelt must not go unnoticed: the data would be in the output.
def test_a_mask_without_values_is_noted(users, account, run):
    for command in (["scan", "users"], ["dump", "users", "out.jsonl"]):
        shown = run(*command, "--mask", "nmae=drop").stderr
        assert "Note: no item has nmae, which --mask names\n" in shown
    shown = run("copy", account.endpoint, "to", "--mask", "nmae=drop").stdout
    assert "Note: no item has nmae, which --mask names\n" in shown
