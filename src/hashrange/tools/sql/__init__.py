"""SQL over the items of tables, by DuckDB.

`sources` and `exports` write items as lines, which `loading` and `items` load into the DuckDB of
`database`. `profiles` finds the types of the attributes in all items, and `columns` makes a view of
each table of them. `statements` reads SQL: tables, keys, moments. `results` writes what a statement
answers. Begin with `database`.
"""
