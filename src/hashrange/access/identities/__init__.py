"""Identities of callers: users, roles, access keys and sessions, kept in the engine.

Begin with `credentials`, the interface through which the server finds the secret key of a signature
and the subject that it stands for; `stored_credentials` implements it. `store` keeps the entities
in the engine and a copy of all of them, the `roster`, in each process; `watch` notices changes of
other processes. Sessions are not stored: `sessions` seals them into their tokens. What a subject
may do is decided in `hashrange.access.policies`; whether a signature is right is checked in
`hashrange.access.signatures`; the APIs of IAM and STS are in `hashrange.api.iam`.
"""
