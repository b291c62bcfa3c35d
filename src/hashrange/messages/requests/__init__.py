"""Texts about requests before their operation is checked, and about the server itself.

Malformed HTTP, JSON of a wrong type, signatures, and members that break a constraint of the API's
model. Begin with `constraints`, whose texts every operation shares.
"""
