"""The engine of worker processes, which read the data file of SQLite while one process writes it.

A worker reads through a `snapshot`, decides writes itself (`engine`) and sends them as proposals
(`messages`, `writer_connection`) to the writer, which compares and applies them (`writer`). The
processes are started in `hashrange.assembly.workers`. Begin with `engine`.
"""
