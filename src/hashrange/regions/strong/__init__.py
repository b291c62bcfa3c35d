"""Strong tables: the members of their groups that this server has, at work.

`hashrange.regions.consensus` says what a member does; here it gets a disk, a network and a state.
Begin with `groups` (which members there are), then `group` (one of them: its writes and reads),
`members` (runs it), `state` (what it saves and applies) and `transport` (its messages). `copies`
brings a member the items whose entries the others have removed. Not here: who is in a group, and
when it begins and ends, which is said by the entries of tables in the catalog.
"""
