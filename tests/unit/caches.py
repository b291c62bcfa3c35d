"""The caches of what was made of requests, found by their kind in the modules that hold them."""

import sys
from functools import cache

from hashrange.api.steps.request_shapes import ShapeCache
from hashrange.bounded_cache import BoundedCache


def caches(*modules):
    """Those of some modules, or of all of hashrange."""
    return _held(modules, len(sys.modules))


@cache
def _held(modules, _loaded):
    """To look through all modules takes 10 ms, so it is done again only if there are others."""
    loaded = [module for name, module in sys.modules.items() if name.startswith("hashrange.")]
    held = [value for module in modules or loaded for value in vars(module).values()]
    return [each for each in held if isinstance(each, BoundedCache | ShapeCache)]


def forget(*modules):
    """Clear them."""
    for each in caches(*modules):
        each.clear()


def known(module):
    """How many entries the one cache of a module has."""
    (only,) = caches(module)
    return len(only)
