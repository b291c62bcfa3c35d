"""The definitions of tables, and what else is kept once: leases, secrets, registers.

A definition is opened for reads and writes in `hashrange.tables.opened`. Begin with `catalog`.
"""
