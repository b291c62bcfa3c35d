"""ExecuteStatement, BatchExecuteStatement and ExecuteTransaction.

Each statement becomes the plan of an operation on items (`fitting`, `writes`, `selects`) or a
member of a transaction (`transaction_members`); items, conditions, charges and conflicts are
those of `api.dynamodb.items` and `api.dynamodb.transactions`. Begin with `execute_statement` and
`statements`. Statements are parsed in `hashrange.expressions.partiql`.
"""
