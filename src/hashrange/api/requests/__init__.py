"""The steps of a request, in their order, and faults and latencies that are asked for.

The parts of the steps, and the type of an operation, are in `hashrange.api.steps`; the
operations in `hashrange.api.dynamodb`. Begin with `pipeline`.
"""
