"""Units: those of an item to the byte, of a load, and of a model.

`load` makes units of item sizes and rates, `item_units` counts an item, `modelled` makes the usage
of a model, which `hashrange.capacity.costs` prices. Nothing here prints.
"""
