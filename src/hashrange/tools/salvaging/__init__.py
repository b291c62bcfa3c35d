"""Takes what can be read out of a damaged data directory, for `hashrange salvage`.

The tables are copied by `hashrange.tools.copying` from an engine that leaves out what is damaged,
and reports it. Begin with `salvage`.
"""
