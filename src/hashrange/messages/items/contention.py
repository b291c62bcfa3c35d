"""Texts for writes that give up because other writes change the same keys again and again."""

from hashrange.messages.text import Text

# ThrottlingException of a table on demand. Verified.
hot_key = Text("Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html", 283)
# ThrottlingException of operations on tables. Source: Developer Guide, "Error messages".
too_many_changes = Text("Rate exceeded")
