"""Operations on items: single, batches, Query and Scan.

Each verb has its module with `check`, `fit` and `run`; begin with `get_item` for reads and
`put_item` for writes. `conditions`, `written` and `write_options` are shared by writes; `pages`,
`key_ranges` and `starting_keys` by Query and Scan; `legacy` knows the parameters that precede
expressions. Expressions themselves are in `hashrange.expressions`, transactions in
`api.dynamodb.transactions`.
"""
