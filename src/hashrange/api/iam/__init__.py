"""The APIs of IAM and STS: services of the query protocol on the port of the database.

An operation is a row (`rows`) in the module of its subject; its request and the constraints on it
are found by its name, in `hashrange.model.structures` and `hashrange.wire.model_constraints`.
`registry` has the two services, `backend` gives them the identities of a server. What is stored is
in `hashrange.access.identities`, the policy language in `hashrange.access.policies`, the protocol
in `hashrange.wire.query_protocol`.
"""
