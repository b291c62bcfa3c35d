"""Requests and units, counted as they are for a server."""


def count(metrics, operation, code, duration_ns):
    """A request that was answered."""
    counts = metrics.of(operation)
    if code:
        counts.fail(code)
    counts.add(duration_ns)


def consume(metrics, table, operation, read_units, write_units):
    """Units, counted as a pipeline does it."""
    counts = metrics.consumed(operation)[table]
    counts.read_units += read_units
    counts.write_units += write_units
