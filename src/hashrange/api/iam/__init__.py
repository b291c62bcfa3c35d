"""The APIs of IAM and STS: services of the query protocol on the port of the database.

An operation is a row (`rows`) in the module of its subject; `requests` has the members that
requests have, with their constraints, and `registry` the two services. `backend` gives them the
identities of a server. What is stored is in `hashrange.access.identities`, the policy language in
`hashrange.access.policies`, the protocol in `hashrange.wire.query_protocol`.
"""
