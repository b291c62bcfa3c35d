"""Condition, filter, key condition, projection and update expressions.

An expression is read (`tokens`, `*_grammar`) into a tree (`syntax`), checked (`*_checks`) and
compiled into functions of an item and the request's values (`conditions`, `updates`,
`projections`). The parameters from before expressions build the same trees. Nothing here knows
tables: keys are matched with the schema in `operations`. Begin with `program`, which operations
call.
"""
