"""What is left for a garbage collection: those are rare, and cost time."""

import gc
from contextlib import contextmanager
from types import FrameType


@contextmanager
def no_garbage():
    """Within it nothing of the server becomes garbage; what others leave does not count."""
    # A full search would pass over all that the run of tests holds.
    gc.collect(1)
    gc.freeze()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield
        gc.collect()
        left = {type(each).__name__ for each in gc.garbage if _is_own(each)}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert left == set()


def _is_own(left):
    """Whether it is an object of the server, or a call of one of its functions."""
    if isinstance(left, FrameType):
        return "hashrange" in left.f_globals.get("__name__", "")
    return type(left).__module__.startswith("hashrange")
