"""A table of orders as an application uses it: boto3, megabytes, kill -9 in the middle."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key

from tests.api.tables import keyed
from tests.crash.server import Server, verify

CUSTOMERS = 50
ORDERS_EACH = 200
SEGMENTS = 4
PRIME = 7919
"""Mixes the days: what is written is in no order, and the server has to sort."""
NOTE = "x" * 400
"""Makes the table 4 MB: pages end at 1 MB and not at a Limit."""

Order = dict[str, Any]
Orders = dict[tuple[str, str], Order]


@pytest.fixture
def start() -> Iterator[Callable[[Path], Server]]:
    """Starts a server on a directory; none outlives the test."""
    servers: list[Server] = []

    def start(directory: Path) -> Server:
        servers.append(Server(directory))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


def orders_of(server: Server) -> Any:
    """The table, by a resource of one's own: threads must not share one."""
    session = boto3.Session("local", "local", region_name="us-east-1")
    return session.resource("dynamodb", endpoint_url=server.url).Table("Orders")


def make_table(orders: Any) -> None:
    orders.meta.client.create_table(
        TableName=orders.name,
        **keyed(customer="S", placed="S"),
    )


def write_orders(orders: Any) -> Orders:
    written: Orders = {}
    with orders.batch_writer() as batch:
        for number in range(CUSTOMERS * ORDERS_EACH):
            customer = f"customer-{number % CUSTOMERS:02}"
            month, day = divmod(number // CUSTOMERS * PRIME % ORDERS_EACH, 28)
            placed = f"2026-{month + 1:02}-{day + 1:02}"
            order = {"customer": customer, "placed": placed, "note": NOTE}
            written[customer, placed] = order | {"total": Decimal(number) / 100}
            batch.put_item(Item=written[customer, placed])
    return written


def pages(read: Callable[..., Any], **request: Any) -> Iterator[list[Order]]:
    while True:  # bound: the last page has no LastEvaluatedKey
        page = read(**request)
        yield page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def joined(read: Iterable[list[Order]]) -> Orders:
    """In the order in which they were read."""
    orders = list(chain.from_iterable(read))
    found = {(order["customer"], order["placed"]): order for order in orders}
    assert len(found) == len(orders), "an item came twice"
    return found


def ship(orders: Any, order: Order) -> Order:
    """Once: a second time is refused."""
    answer = orders.update_item(
        Key={"customer": order["customer"], "placed": order["placed"]},
        UpdateExpression="SET shipped = :day ADD parcels :one",
        ConditionExpression=Attr("shipped").not_exists() & Attr("total").eq(order["total"]),
        ExpressionAttributeValues={":day": "2026-12-24", ":one": 1},
        ReturnValues="ALL_NEW",
    )
    return answer["Attributes"]


def ship_newest(orders: Any, written: Orders, customer: str) -> None:
    condition = Key("customer").eq(customer)
    request = {"KeyConditionExpression": condition, "ScanIndexForward": False, "Limit": 20}
    newest = orders.query(**request)["Items"]
    placed = sorted(placed for who, placed in written if who == customer)
    assert [order["placed"] for order in newest] == placed[:-21:-1]
    for order in newest:
        shipped = ship(orders, order)
        assert shipped == order | {"shipped": "2026-12-24", "parcels": 1}
        written[customer, order["placed"]] = shipped
        with pytest.raises(orders.meta.client.exceptions.ConditionalCheckFailedException):
            ship(orders, order)


def check(server: Server, written: Orders) -> None:
    """All that was written is read, whichever way, and nothing else."""

    def scan(segment: int) -> Orders:
        read = orders_of(server).scan
        return joined(pages(read, Segment=segment, TotalSegments=SEGMENTS))

    orders = orders_of(server)
    found = list(pages(orders.scan))
    assert len(found) > len(written) * len(NOTE) // 2**20
    assert joined(found) == written
    with ThreadPoolExecutor(SEGMENTS) as workers:
        segments = list(workers.map(scan, range(SEGMENTS)))
    assert all(segments)
    assert joined(list(segment.values()) for segment in segments) == written
    condition = Key("customer").eq("customer-07")
    theirs = joined(pages(orders.query, KeyConditionExpression=condition, Limit=33))
    assert list(theirs) == sorted(key for key in written if key[0] == "customer-07")
    described = orders.meta.client.describe_table(TableName=orders.name)["Table"]
    assert described["ItemCount"] == len(written)


# The other tests of crashes write a few small items through connections of their own. Here an SDK
# writes and reads 4 MB, so that pages, segments and counts hold at a size that people have.
def test_ten_thousand_orders_outlive_kill_9(
    tmp_path: Path, start: Callable[[Path], Server]
) -> None:
    directory = tmp_path / "data"
    server = start(directory)
    orders = orders_of(server)
    make_table(orders)
    written = write_orders(orders)
    assert len(written) == CUSTOMERS * ORDERS_EACH
    ship_newest(orders, written, "customer-07")
    server.kill()
    assert verify(directory) == ""
    server = start(directory)
    check(server, written)
    assert server.terminate() == 0
    assert verify(directory) == ""
