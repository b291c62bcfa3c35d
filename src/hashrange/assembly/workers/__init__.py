"""A server of several processes, with `--workers`: a supervisor, readers and a writer.

Readers answer requests, the writer writes for all of them and runs the background tasks, and the
supervisor accepts connections, starts the other processes and replaces those that end. Not here:
the engines of readers and of the writer, which are in `storage.workers`.

Begin with `supervisor`, then `process` (what a reader and the writer do) and `control` (the
messages between them).
"""
