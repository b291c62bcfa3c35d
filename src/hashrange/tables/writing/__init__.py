"""Writes of items: plans, their decisions, and the writer, the only module that changes items.

Begin with `write_plans`, then `write_decisions` and `writer`.
"""
