"""Running totals: an aggregate that follows its table, by a trigger.

What a customer has spent could be added up at each question; it is read often and changes seldom,
so it is kept. Not by the program that places orders: it would have to know all that is derived
from them. A trigger is called with each change of the table, and adds what it changed.

    table    customer   order    attributes
    ------   --------   ------   -------------------
    orders   ada        1001     cents
    totals   ada                 orders, cents, last

A trigger delivers each change at least once: after a crash, or a failure in the middle of a batch,
some come again. So a total remembers the sequence number of the last change that it counts, and the
condition lets none in that is not newer. That is enough because the changes of one customer come in
their order: they share a partition key. A total over many partition keys would have to remember
more, or to put each change once into a table of its own.

This one starts a server for itself, and listens where the trigger sends: on port 0, a free one.
"""

import json
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import hashrange
from playground import connect

SECONDS_MAX = 30
TRIGGER = """
[[trigger]]
name = "totals"
table = "orders"
destination = "{url}"
starting_position = "TRIM_HORIZON"
"""


def apply(totals, event):
    """Add what changed to the totals; how many of the records were new."""
    return sum(_apply(totals, record["dynamodb"]) for record in event["Records"])


def _apply(totals, change):
    old, new = change.get("OldImage"), change.get("NewImage")
    try:
        totals.update_item(
            Key={"customer": change["Keys"]["customer"]["S"]},
            UpdateExpression="ADD orders :orders, cents :cents SET #last = :number",
            ConditionExpression="attribute_not_exists(#last) OR #last < :number",
            ExpressionAttributeNames={"#last": "last"},
            ExpressionAttributeValues={
                ":orders": bool(new) - bool(old),
                ":cents": _cents(new) - _cents(old),
                ":number": int(change["SequenceNumber"]),
            },
        )
    except totals.meta.client.exceptions.ConditionalCheckFailedException:
        return False  # it is counted already
    return True


def _cents(image):
    return int(image["cents"]["N"]) if image else 0


class Listener:
    """Where the trigger sends; remembers the events, to show what a second delivery does."""

    def __init__(self):
        self.totals = None
        self.events = []
        self.applied = threading.Condition()
        listener, applied = self, self.applied

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                apply(listener.totals, event)  # an exception is a failure: the batch comes again
                self.send_response(200)
                self.end_headers()
                with applied:
                    listener.events.append(event)
                    applied.notify_all()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)

    def wait_for(self, changes):
        """Until so many changes have come."""
        with self.applied:
            came = self.applied.wait_for(
                lambda: sum(len(event["Records"]) for event in self.events) >= changes,
                SECONDS_MAX,
            )
        assert came, "the changes did not come"


@contextmanager
def shop():
    """A server with the two tables, and a listener for the changes of one."""
    listener = Listener()
    thread = threading.Thread(target=listener.server.serve_forever, args=(0.05,))
    thread.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "triggers.toml"
            url = f"http://127.0.0.1:{listener.server.server_port}/"
            file.write_text(TRIGGER.format(url=url), encoding="utf-8")
            with hashrange.start(memory=True, triggers=file) as server:
                create_table(connect(server.endpoint), "orders", "customer", "order")
                create_table(connect(server.endpoint), "totals", "customer")
                listener.totals = connect(server.endpoint).Table("totals")
                yield connect(server.endpoint).Table("orders"), listener
    finally:
        listener.server.shutdown()
        thread.join()
        listener.server.server_close()


def create_table(server, name, *keys):
    """Make a table with a stream and these key attributes."""
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    server.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
        KeySchema=[
            {"AttributeName": key, "KeyType": role}
            for key, role in zip(keys, ("HASH", "RANGE"), strict=False)
        ],
        StreamSpecification=stream if name == "orders" else {"StreamEnabled": False},
    )


def total(totals, customer):
    """How many orders a customer has, and what they cost together."""
    item = totals.get_item(Key={"customer": customer})["Item"]
    return f"{customer}: {item['orders']} orders, {item['cents'] / 100:.2f} EUR"


def main(orders, listener):
    """Orders that come, change and go; and a second delivery, which changes nothing."""
    orders.put_item(Item={"customer": "ada", "order": "1001", "cents": 1250})
    orders.put_item(Item={"customer": "ada", "order": "1002", "cents": 990})
    orders.put_item(Item={"customer": "ben", "order": "1003", "cents": 400})
    listener.wait_for(changes=3)
    print(total(listener.totals, "ada"))
    print(total(listener.totals, "ben"))

    orders.put_item(Item={"customer": "ada", "order": "1001", "cents": 1000})
    orders.delete_item(Key={"customer": "ada", "order": "1002"})
    listener.wait_for(changes=5)
    print("After a rebate and a return:", total(listener.totals, "ada"))

    again = sum(apply(listener.totals, event) for event in listener.events)
    print(f"All delivered once more: {again} counted,", total(listener.totals, "ada"))


if __name__ == "__main__":
    with shop() as (table, came):
        main(table, came)
