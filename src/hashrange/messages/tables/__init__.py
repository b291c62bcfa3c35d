"""Texts about tables: definitions, indexes, throughput, tags, time to live and streams.

Begin with `operations`, which has the texts of CreateTable, UpdateTable and DeleteTable.
"""
