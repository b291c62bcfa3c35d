"""Contributor insights: which keys of a table or index are accessed and throttled most.

`states` has the statuses and the rules of a setting, `settings` the operations that describe and
change it, `listing` the list of all. `counting` counts the keys of requests while they run, beside
the admission of the pipeline; it is not installed while no table has insights.

Not here: the counters, which are `hashrange.capacity.contributors`, and the pages that show them.
Begin with `settings`.
"""
