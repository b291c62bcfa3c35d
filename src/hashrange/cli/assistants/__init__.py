"""Tools for programs that use language models: what `hashrange mcp` offers to them.

Begin with `tools`, the table: each tool is a row with its arguments, its description and a
function. `items` reads tables, `designs` checks models and prices loads, `figures` shows the load
of a server, `documentation` searches the pages. `answers` bounds what they return. `protocol` is
the only module that needs the package mcp. Options of the command line are in `hashrange.cli.mcp`.
"""
