"""Simulation of a workload on the capacity model, without a server.

`workload` reads and checks the file that describes it, `simulator` runs it on a virtual clock,
`report` and `charts` show the results. Begin with `simulator`; throttling itself is
`hashrange.capacity`.
"""
