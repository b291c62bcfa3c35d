"""Tools for designers and operators, which work on this server, on AWS, and on any other endpoint.

Each tool is a function that returns data; the command in `cli` prints them. `models` describes a
design and its access patterns, `design` makes a table of it, `costs` prices it, `scanning` reads
and changes all items of a table, `doctor` explains the figures of a live server, and `templates`
has complete designs to begin with. Nothing here knows an engine: data are reached by operations of
the API.
"""
