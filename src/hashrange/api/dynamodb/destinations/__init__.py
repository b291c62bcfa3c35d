"""Destinations of tables: the operations that make Kinesis data streams get the changes of items.

Not here: what a destination is, which is `hashrange.tables.kinesis.destinations`, and the task that
puts changes into streams, `hashrange.background.destination_task`. Begin with `enabling`.
"""
