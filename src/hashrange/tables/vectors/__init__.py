"""Searches in vector indexes: their vectors in memory, exact scores, and what keeps them current.

The entries are rows of the engine, as those of other indexes (`tables.opened`). Begin with
`searches`.
"""
