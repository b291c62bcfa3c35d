"""TransactGetItems and TransactWriteItems, and what is particular to transactions.

Begin with `transact_write_items`; `actions` has its four kinds of action. `cancellation` and
`costs` say what a cancelled transaction answers and consumes. The commit of all actions as one
write of the engine is in `hashrange.tables.writing.transactions`.
"""
