"""Identities of callers: users, roles, access keys and sessions, kept in the engine.

Begin with `credentials`, the interface through which the server finds the secret key of a
signature and the subject that it stands for. What a subject may do is decided in
`hashrange.policies`; whether a signature is right is checked in `hashrange.auth`.
"""
