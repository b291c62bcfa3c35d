"""Costs: the bill of a month in each capacity mode. Pure.

Begin with `bill`, which prices a `Usage`: `live` makes it of the load of a server, `simulated` of a
simulation. Prices are in `hashrange.capacity.prices`; `hashrange.tools.costs` makes usages of item
sizes and of models.
"""
