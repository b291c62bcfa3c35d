"""Designs of tables: from choices to a definition, and from a definition to what makes the table.

`choices` reads what flags and answers say. `refusals` performs a definition in memory, so that it
is refused as DynamoDB refuses it. `outputs` has the formats, a module each; `steps` the requests
that make a table, which `applying` sends to an endpoint and `describing` reads back.

Not here: rules that warn, which are `hashrange.tools.rules`. Begin with `choices`.
"""
