"""Every text that a client can see: one row a text.

The modules follow the groups of the message catalogue, docs/internals/messages.md: `wire` and
`server` (before an operation is checked), `items`, `expressions`, `tables`. A row or a comment gives
the number of the catalogue or another source, and the exception if it is not ValidationException.

Not here: which check raises a text, and in which order; the name and status of the fault are in
`hashrange.errors`. Texts for operators stand where they are written.
"""
