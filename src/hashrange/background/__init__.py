"""Background tasks: work of the server that no request waits for.

Here: removal of dropped tables, building of indexes, expiry of items, upkeep of change logs and
tokens; who leads among several servers (`leader`), how tasks take turns with requests (`pacer`),
and the restart of tasks that fail (`tasks`). Not here: how a page of rows is changed, which is in
`tables`, and which tasks a server has, which is in `hashrange.assembly.background_services`.

Begin with `tasks`, then `leader`. Each task may be done by two servers at a time without harm, or
carries `Leader.fences`.
"""
