"""The keys of the engine: their layout, their ranges, and the table of all key spaces.

Begin with `keyspace`, for the rows of tables, and `key_spaces`, the table.
"""
