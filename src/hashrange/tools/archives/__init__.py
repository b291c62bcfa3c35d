"""Archives of expired items: items that go back into their tables, and what the archive saves.

`restoring` puts items back, `savings` counts and prices them, `compacting` makes one object of
several. Statements on archives are those of
`tools.sql`, whose `archives` finds the objects.
"""
