"""PartiQL statements as data: parsed, and checked as far as possible without tables. Pure.

`statement_parser` reads a statement into the structures of `syntax`; conditions and updates
become those of `hashrange.expressions`, so that they are evaluated there. `prepared` is the
whole of what is known without a table, and the place to begin. `templates` recognise statements
that differ in literals alone. How statements become plans is in `hashrange.api.dynamodb.partiql`.
"""
