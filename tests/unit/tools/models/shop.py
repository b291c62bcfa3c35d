"""A model of a shop, for tests of models and their checks."""

import tomllib

TEXT = """
name = "Shop"
description = "Customers and their orders."

[[tables]]
name = "Shop"
partition_key = "pk:S"
sort_key = "sk:S"
time_to_live = "expiresAt"

[[tables.indexes]]
name = "ByStatus"
partition_key = "gsi1pk"
sort_key = "gsi1sk:N"
projection = ["total"]

[[tables.indexes]]
name = "ByTotal"
kind = "local"
sort_key = "total:N"
projection = "KEYS_ONLY"

[[entities]]
name = "Customer"
templates = { pk = "CUSTOMER#{customerId}", sk = "PROFILE" }
attributes = { customerId = "S", name = "S", email = "S" }
optional = ["email"]
items = 1_000_000

[[entities]]
name = "Order"
templates.pk = "CUSTOMER#{customerId}"
templates.sk = "ORDER#{number:08}"
templates.gsi1pk = "STATUS#{status}"
templates.gsi1sk = "{number}"
attributes = { customerId = "S", number = "N", status = "S", total = "N", expiresAt = "N" }
item_bytes = 600
items_per_key = 20
samples = [
  { customerId = "1", number = 1, status = "open", total = 10.50, expiresAt = 1800000000 },
  { customerId = "1", number = 2, status = "sent", total = 20, expiresAt = 1800000000 },
  { customerId = "1", number = 3, status = "sent", total = 30, expiresAt = 1800000000 },
]

[[patterns]]
name = "Customer by id"
operation = "GetItem"
entity = "Customer"
rate = 500
consistent = true

[[patterns]]
name = "Orders of a customer"
entity = "Order"
key = { pk = "CUSTOMER#{customerId}", sk = { begins_with = "ORDER#" } }
rate = 100
items = 20

[[patterns]]
name = "Open orders"
entity = "Order"
index = "ByStatus"
key = { gsi1pk = "STATUS#{status}", gsi1sk = { ">=" = 1 } }
returns = ["total", "pk"]

[[patterns]]
name = "Large orders of a customer"
entity = "Order"
index = "ByTotal"
key = { pk = "CUSTOMER#{customerId}", total = { between = [1, 100] } }
returns = ["pk", "sk"]

[[patterns]]
name = "Place an order"
operation = "PutItem"
entity = "Order"
condition = "attribute_not_exists(pk)"
rate = 50

[[patterns]]
name = "Ship an order"
operation = "UpdateItem"
entity = "Order"
update = "SET status = :sent"
values = { ":sent" = "sent" }
rate = 50
"""


def members():
    """The members of the file, to be changed by a test."""
    return tomllib.loads(TEXT)
