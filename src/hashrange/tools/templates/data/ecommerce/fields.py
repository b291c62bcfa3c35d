"""Attributes of generated items: products, and customers with carts and orders, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

from dynamo import shard_of

SHELVES = ("outdoor/tents", "outdoor/lamps", "outdoor/bags", "kitchen/stoves", "kitchen/pots")
NEVER = 4102444800


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        sku = f"sku-{number:06}"
        shelf, price = random.choice(SHELVES), random.randrange(500, 50000, 100)
        title, text = f"Article {number}", "A good one. " * random.randint(5, 40)
        product = {"sku": sku, "title": title, "text": text, "image": f"{sku}.jpg"}
        yield "Product", {**product, "shelf": shelf, "price": price}
        yield "Stock", {"sku": sku, "available": random.randint(0, 100)}
        customer, name = f"customer-{number:06}", f"Customer {number}"
        email, address = f"{customer}@example.com", f"{random.randint(1, 99)} High Street"
        yield "Customer", {"customerId": customer, "name": name, "email": email, "address": address}
        if random.random() < 0.3:
            line = {"customerId": customer, "sku": sku, "quantity": random.randint(1, 3)}
            yield "CartLine", {**line, "expires": NEVER}
        for each in range(random.randint(0, 4)):
            yield from _order(random, f"o-{number}-{each}", customer, sku, price)


def _order(
    random: Random, order: str, customer: str, sku: str, price: int
) -> Iterator[tuple[str, dict]]:
    placed = f"2026-{random.randint(1, 11):02}-{random.randint(1, 28):02}T12:00:00Z"
    lines = random.randint(1, 4)
    head = {"orderId": order, "customerId": customer, "placed": placed, "total": lines * price}
    waits = placed > "2026-11-2"
    queue = {"queue": str(shard_of(order, 10))} if waits else {}
    yield "Order", {**head, "status": "paid" if waits else "sent", **queue}
    for position in range(1, lines + 1):
        line = {"orderId": order, "position": position, "sku": sku, "title": "Article"}
        yield "OrderLine", {**line, "quantity": 1, "unitPrice": price}
