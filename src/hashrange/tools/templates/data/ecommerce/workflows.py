"""Workflows of more than one plain request: placing an order, and sending what waits."""

from typing import Any

from dynamo import Item, get_all, shard_of, show, transact
from patterns import (
    TABLE,
    cart_of_a_customer,
    order_item,
    order_line_item,
    order_with_its_lines,
    orders_to_send,
    send_an_order,
)

QUEUES = 10
LINES_MAX = 33
NEW = "attribute_not_exists(pk)"


def queue_of(order_id: str) -> str:
    """The queue of an order, always the same."""
    return str(shard_of(order_id, QUEUES))


def place_an_order(db: Any, order_id: str, customer_id: str, placed: str) -> str:
    """Order what is in the cart.

    Args:
        db: the client.
        order_id: made before the payment, and the same in each retry.
        customer_id: whose cart.
        placed: the time in ISO 8601.

    Returns:
        `placed`, also if an earlier call has placed it, `empty`, or `sold out: ` and a product.
    """
    cart = cart_of_a_customer(db, customer_id)
    if not cart:
        return "placed" if order_with_its_lines(db, order_id) else "empty"
    if len(cart) > LINES_MAX:
        raise ValueError(f"more than {LINES_MAX} lines: DynamoDB has 100 actions a transaction")
    keys = [{"pk": f"PRODUCT#{line['sku']}", "sk": "PRODUCT"} for line in cart]
    products = {each["sku"]: each for each in get_all(db, TABLE, keys)}
    lines = [
        {
            "orderId": order_id,
            "position": position,
            "sku": line["sku"],
            "title": products[line["sku"]]["title"],
            "quantity": line["quantity"],
            "unitPrice": products[line["sku"]]["price"],
        }
        for position, line in enumerate(cart, 1)
    ]
    order = {
        "orderId": order_id,
        "customerId": customer_id,
        "placed": placed,
        "status": "paid",
        "total": sum(line["quantity"] * line["unitPrice"] for line in lines),
        "queue": queue_of(order_id),
    }
    put = {"TableName": TABLE, "Item": order_item(order), "ConditionExpression": NEW}
    actions: list[Item] = [{"Put": put}]
    actions += [{"Update": _taken(line)} for line in cart]
    actions += [{"Put": {"TableName": TABLE, "Item": order_line_item(line)}} for line in lines]
    actions += [{"Delete": _out_of_the_cart(line)} for line in cart]
    codes = transact(db, actions)
    if not codes or codes[0] == "ConditionalCheckFailed":
        return "placed"
    taken = codes[1 : len(cart) + 1]
    if "ConditionalCheckFailed" not in taken:
        return place_an_order(db, order_id, customer_id, placed)  # the cart has changed meanwhile
    return f"sold out: {cart[taken.index('ConditionalCheckFailed')]['sku']}"


def _taken(line: Item) -> Item:
    return {
        "TableName": TABLE,
        "Key": {"pk": f"PRODUCT#{line['sku']}", "sk": "STOCK"},
        "UpdateExpression": "SET available = available - :quantity",
        "ConditionExpression": "available >= :quantity",
        "ExpressionAttributeValues": {":quantity": line["quantity"]},
    }


def _out_of_the_cart(line: Item) -> Item:
    """Deletes a line that still has the quantity that was ordered."""
    return {
        "TableName": TABLE,
        "Key": {"pk": line["pk"], "sk": line["sk"]},
        "ConditionExpression": "quantity = :quantity",
        "ExpressionAttributeValues": {":quantity": line["quantity"]},
    }


def send_next(db: Any, queue: str) -> str | None:
    """Take the oldest order of a queue; None if nothing waits."""
    for order in orders_to_send(db, queue).items:
        try:
            return send_an_order(db, order["orderId"])["orderId"]
        except db.exceptions.ConditionalCheckFailedException:
            continue  # another worker was first, and the index is a moment behind
    return None


def demo(db: Any) -> None:
    """Run each workflow once."""
    placed = "2026-11-21T10:00:00Z"
    show("Place an order", place_an_order(db, "o-9", "ada", placed))
    show("Place it again", place_an_order(db, "o-9", "ada", placed))
    show("The order", order_with_its_lines(db, "o-9"))
    show("Send an order of its queue", send_next(db, queue_of("o-9")) or "nothing waits")
    show("Place an order of an empty cart", place_an_order(db, "o-10", "ada", placed))
