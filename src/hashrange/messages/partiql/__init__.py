"""Texts of PartiQL: reading statements, and carrying them out.

"The downloadable version" is DynamoDB Local, whose texts are quoted by its users.
"""
