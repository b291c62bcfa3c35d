"""Diagnosis of a live table: the facts that `hashrange.tools.rules` judges.

Begin with `examining`, which asks an endpoint and gives a `Diagnosis`. `counters` makes figures of
the pages of a server of hashrange, `sample` of some items. Nothing here prints.
"""
