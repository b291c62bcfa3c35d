"""A complete shop: customers, products, stock and orders in one table; one request per query.

The design began with the access patterns, not with the entities. Each of the eight patterns is
exactly one GetItem or Query; the program counts the requests and fails if a pattern needs another.

    item       pk              sk          gsi1pk          gsi1sk         gsi2pk
    --------   -------------   ---------   -------------   ------------   --------
    customer   CUSTOMER#C-17   PROFILE     EMAIL#…         CUSTOMER
    product    PRODUCT#ASSAM   DETAILS
    stock      PRODUCT#ASSAM   STOCK#BER
    order      ORDER#1001      DETAILS     CUSTOMER#C-17   ORDER#<time>   OPEN#BER
    line       ORDER#1001      LINE#01     PRODUCT#ASSAM   ORDER#<time>

    gsi2 is sorted by the time of the order, gsi2sk.

    access pattern                                  request
    ---------------------------------------------   ----------------------------------------------
    1 customer by number                            GetItem  CUSTOMER#…, PROFILE
    2 customer by email                             Query gsi1  EMAIL#…
    3 the newest orders of a customer               Query gsi1  CUSTOMER#…, backwards, Limit
    4 orders of a customer in a month               Query gsi1  CUSTOMER#…, begins with <month>
    5 order with its lines                          Query  ORDER#…
    6 open orders of a warehouse, oldest first      Query gsi2  OPEN#…
    7 order lines of a product since a day          Query gsi1  PRODUCT#…, from <day> on
    8 product with its stock everywhere             Query  PRODUCT#…

The reasons: an order and its lines are shown on one page, so they share a partition. gsi1 has each
item under another entity that it belongs to: the order under its customer, the line under its
product. gsi2 is sparse: an order leaves it when it is shipped, so it stays small. A line copies the
price, because the price of that day was agreed; a join to the product would be wrong, not only
slow. An order is placed by one transaction that also takes the stock, so nothing is sold that is
not in stock.
"""

from boto3.dynamodb.conditions import Key

from playground import Meter, temporary_table, transact

KEY = ("pk", "sk")
INDEXES = {"gsi1": ("gsi1pk", "gsi1sk"), "gsi2": ("gsi2pk", "gsi2sk")}


def customer(table, number):
    """1: a customer, or None."""
    return table.get_item(Key={"pk": f"CUSTOMER#{number}", "sk": "PROFILE"}).get("Item")


def customer_by_email(table, email):
    """2: the customer with this address, or None."""
    found = table.query(IndexName="gsi1", KeyConditionExpression=Key("gsi1pk").eq(f"EMAIL#{email}"))
    return next(iter(found["Items"]), None)


def newest_orders(table, number, limit):
    """3: the last orders of a customer."""
    found = table.query(
        IndexName="gsi1",
        KeyConditionExpression=Key("gsi1pk").eq(f"CUSTOMER#{number}"),
        ScanIndexForward=False,
        Limit=limit,
    )
    return found["Items"]


def orders_in_month(table, number, month):
    """4: the orders of a customer in a month such as 2026-03."""
    found = table.query(
        IndexName="gsi1",
        KeyConditionExpression=Key("gsi1pk").eq(f"CUSTOMER#{number}")
        & Key("gsi1sk").begins_with(f"ORDER#{month}"),
    )
    return found["Items"]


def order_with_lines(table, number):
    """5: an order and its lines; DETAILS sorts before LINE."""
    found = table.query(KeyConditionExpression=Key("pk").eq(f"ORDER#{number}"))
    return found["Items"]


def open_orders(table, warehouse):
    """6: what a warehouse has to ship, the oldest first."""
    found = table.query(
        IndexName="gsi2", KeyConditionExpression=Key("gsi2pk").eq(f"OPEN#{warehouse}")
    )
    return found["Items"]


def lines_of_product(table, sku, since):
    """7: who bought a product since a day: for a recall."""
    found = table.query(
        IndexName="gsi1",
        KeyConditionExpression=Key("gsi1pk").eq(f"PRODUCT#{sku}")
        & Key("gsi1sk").gte(f"ORDER#{since}"),
    )
    return found["Items"]


def product_with_stock(table, sku):
    """8: a product, and how much of it lies where."""
    found = table.query(KeyConditionExpression=Key("pk").eq(f"PRODUCT#{sku}"))
    return found["Items"]


def add_customer(table, number, name, email):
    """A customer. That the email has one owner only: see unique_constraints.py."""
    table.put_item(
        Item={"pk": f"CUSTOMER#{number}", "sk": "PROFILE", "name": name, "email": email}
        | {"gsi1pk": f"EMAIL#{email}", "gsi1sk": "CUSTOMER"}
    )


def add_product(table, sku, *, name, cents, stock):
    """A product and its stock: pieces by warehouse."""
    with table.batch_writer() as batch:
        batch.put_item(Item={"pk": f"PRODUCT#{sku}", "sk": "DETAILS", "name": name, "cents": cents})
        for warehouse, pieces in stock.items():
            batch.put_item(
                Item={"pk": f"PRODUCT#{sku}", "sk": f"STOCK#{warehouse}", "pieces": pieces}
            )


def place_order(table, order, lines):
    """Order, lines and stock in one transaction, one request; False if the stock does not do.

    Args:
        table: the shop.
        order: number, customer, warehouse and time.
        lines: the item of a product, none twice, and the number of pieces.
    """
    pk, time = f"ORDER#{order['number']}", order["time"]
    header = {"pk": pk, "sk": "DETAILS", "status": "open", **order}
    header |= {"gsi1pk": f"CUSTOMER#{order['customer']}", "gsi1sk": f"ORDER#{time}"}
    header |= {"gsi2pk": f"OPEN#{order['warehouse']}", "gsi2sk": time}
    header["cents"] = sum(product["cents"] * pieces for product, pieces in lines)
    actions = [{"Put": {"Item": header, "ConditionExpression": "attribute_not_exists(pk)"}}]
    for place, (product, pieces) in enumerate(lines, start=1):
        line = {"pk": pk, "sk": f"LINE#{place:02}", "gsi1pk": product["pk"]}
        line |= {"gsi1sk": f"ORDER#{time}", "customer": order["customer"], "pieces": pieces}
        line |= {"name": product["name"], "cents": product["cents"]}
        taken = {
            "Key": {"pk": product["pk"], "sk": f"STOCK#{order['warehouse']}"},
            "UpdateExpression": "SET pieces = pieces - :pieces",
            "ConditionExpression": "pieces >= :pieces",
            "ExpressionAttributeValues": {":pieces": pieces},
        }
        actions += [{"Put": {"Item": line}}, {"Update": taken}]
    return not transact(table, *actions)


def ship(table, number):
    """The order leaves gsi2, and so the list of what is to be done."""
    table.update_item(
        Key={"pk": f"ORDER#{number}", "sk": "DETAILS"},
        UpdateExpression="SET #status = :shipped REMOVE gsi2pk, gsi2sk",
        ConditionExpression="#status = :open",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":shipped": "shipped", ":open": "open"},
    )


def fill(table):
    """Two customers, two products, four orders, one of them shipped."""
    add_customer(table, "C-17", "Ada Byron", "ada@example.com")
    add_customer(table, "C-18", "Grace Murray", "grace@example.com")
    add_product(table, "ASSAM", name="Assam, 250 g", cents=890, stock={"BER": 20, "LYO": 5})
    add_product(table, "SENCHA", name="Sencha, 100 g", cents=1240, stock={"BER": 3})
    assam, sencha = (product_with_stock(table, sku)[0] for sku in ("ASSAM", "SENCHA"))
    for number, who, time, lines in [
        ("1001", "C-17", "2026-02-11T09:30:00Z", [(assam, 2)]),
        ("1002", "C-18", "2026-03-01T18:05:00Z", [(assam, 1), (sencha, 1)]),
        ("1003", "C-17", "2026-03-02T07:45:00Z", [(sencha, 2)]),
        ("1004", "C-17", "2026-03-20T12:00:00Z", [(assam, 4)]),
    ]:
        order = {"number": number, "customer": who, "warehouse": "BER", "time": time}
        assert place_order(table, order, lines), "there was enough of all"
    ship(table, "1001")
    late = {
        "number": "1005",
        "customer": "C-18",
        "warehouse": "BER",
        "time": "2026-03-21T08:00:00Z",
    }
    print("An order of what is sold out is placed:", place_order(table, late, [(sencha, 1)]))


QUESTIONS = [
    ("customer by number", customer, "C-17"),
    ("customer by email", customer_by_email, "grace@example.com"),
    ("the two newest orders of a customer", newest_orders, "C-17", 2),
    ("orders of a customer in a month", orders_in_month, "C-17", "2026-03"),
    ("order with its lines", order_with_lines, "1002"),
    ("open orders of a warehouse", open_orders, "BER"),
    ("order lines of a product since a day", lines_of_product, "ASSAM", "2026-03-01"),
    ("product with its stock", product_with_stock, "ASSAM"),
]


def main(table):
    """Fill the shop, then ask the eight questions and count."""
    fill(table)
    meter = Meter(table)
    print("question                              requests  units  items")
    for name, question, *arguments in QUESTIONS:
        answer, requests, units = meter.measure(question, table, *arguments)
        assert requests == 1, f"{name}: {requests} requests"
        items = answer if isinstance(answer, list) else [answer]
        print(f"{name:36}  {requests:8}  {units:5}  {len(items):5}")
    header, *lines = order_with_lines(table, "1002")
    print(f"Order 1002, {header['status']}: {header['cents'] / 100:.2f} EUR")
    for line in lines:
        print(f"  {line['pieces']} x {line['name']} at {line['cents'] / 100:.2f} EUR")


if __name__ == "__main__":
    with temporary_table("shop", KEY, INDEXES) as shop:
        main(shop)
