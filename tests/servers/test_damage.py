"""A data file with damaged pages: what `verify` and `backup` say of it."""

import shutil

import boto3
import pytest
from click.testing import CliRunner

from hashrange.cli.commands import commands
from tests.api.tables import keyed
from tests.served import served

PAGE_BYTES = 4096
ITEMS = 120


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """Two tables, one with an index, in some hundred pages."""
    data = tmp_path_factory.mktemp("damage") / "data"
    with served(memory=False, data=data) as server:
        client = boto3.client(
            "dynamodb",
            endpoint_url=server.endpoint,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        for name in ("carts", "orders"):
            client.create_table(TableName=name, **keyed(p="S"))
            for number in range(ITEMS):
                item = {"p": {"S": f"{name}-{number:03}"}, "text": {"S": "x" * 400}}
                client.put_item(TableName=name, Item=item)
        client.close()
    return data


@pytest.fixture
def damaged(directory, tmp_path):
    """Zeroes the header of a page in a copy of the directory."""

    def damage(page):
        copy = tmp_path / f"page-{page}"
        shutil.copytree(directory, copy)
        with (copy / "hashrange.db").open("r+b") as file:
            file.seek(page * PAGE_BYTES)
            file.write(bytes(64))
        return copy

    return damage


def verified(directory):
    answer = CliRunner().invoke(commands, ["verify", str(directory)])
    return answer.exit_code, answer.output


def test_each_damaged_page_is_found(directory, damaged):
    file = directory / "hashrange.db"
    pages = file.stat().st_size // PAGE_BYTES
    texts = []
    for page in range(1, pages):
        code, text = verified(damaged(page))
        assert code == 1, (page, text)
        texts.append(text)
    found = "".join(texts)
    assert "carts: items after {" in found
    assert "orders: items after {" in found
    assert "the system's rows" in found


def test_the_rows_are_named_by_the_items_around_them(directory, damaged):
    pages = (directory / "hashrange.db").stat().st_size // PAGE_BYTES
    for page in range(pages // 3, pages):
        _, text = verified(damaged(page))
        (line,) = [line for line in text.splitlines() if "cannot be read" in line][:1] or [""]
        if line.startswith("orders: items after") and " before " in line:
            after, before = line.partition(" and before ")[::2]
            assert after.partition("after ")[2].startswith('{"p":{"S":"orders-')
            assert before.startswith('{"p":{"S":"orders-')
            return
    pytest.fail("no page of items was damaged")


def test_no_backup_of_damaged_data_is_made(directory, damaged, tmp_path):
    pages = (directory / "hashrange.db").stat().st_size // PAGE_BYTES
    target = tmp_path / "backups"
    target.mkdir()
    copy = damaged(pages // 2)
    answer = CliRunner().invoke(commands, ["backup", str(copy), str(target)])
    assert answer.exit_code == 1
    assert f"{copy} is damaged: " in answer.output
    assert list(target.rglob("*.json")) == []
    answer = CliRunner().invoke(commands, ["backup", str(directory), str(target)])
    assert answer.exit_code == 0, answer.output
