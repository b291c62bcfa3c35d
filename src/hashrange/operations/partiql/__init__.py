"""ExecuteStatement, BatchExecuteStatement and ExecuteTransaction.

Each statement becomes the plan of an operation on items (`fitting`, `writes`, `selects`) or a
member of a transaction (`transaction_members`); items, conditions, charges and conflicts are
those of `operations.items` and `operations.transactions`. Begin with `execute_statement` and
`statements`. Statements are parsed in `hashrange.partiql`.
"""
