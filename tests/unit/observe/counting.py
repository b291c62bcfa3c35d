"""Requests, counted as an endpoint does it."""


def count(metrics, operation, code, duration_ns):
    """A request that was answered."""
    counts = metrics.of(operation)
    if code:
        counts.fail(code)
    counts.add(duration_ns)
