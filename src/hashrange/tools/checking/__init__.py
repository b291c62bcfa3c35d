"""Checks of models: rules that need no server, and a run of each access pattern on tables.

`rules` has the list of rules, in the modules beside it; `running` makes the tables, loads the
samples and runs the patterns; `drift` compares with a live table. Begin with `checks.check`.
"""
