"""Texts about items: values, keys, and the operations that read and write items.

Transactions, queries and scans included; texts about expressions are in `messages.expressions`.
Begin with `values`, which all operations on items share.
"""
