"""Costs: the units of an item and of a load, and the bill of a month in each capacity mode.

Begin with `bill`, which prices a `Usage`. `load` makes a usage of item sizes and rates,
`item_units` counts an item to the byte, `live` reads the load of a server, and `simulated` that of
a simulation. Prices are in `hashrange.capacity.prices`. Nothing here prints.
"""
