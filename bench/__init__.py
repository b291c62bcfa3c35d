"""Benchmarks: rates, latency, CPU and bytecodes of requests, and comparisons with other servers.

Begin with `__main__` (`make bench`) for measurements under load, and `check` (`make bench-check`)
for counts that do not depend on the machine.
"""
