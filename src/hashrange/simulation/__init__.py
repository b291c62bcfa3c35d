"""Simulation of a workload on the capacity model, without a server."""
