"""The IAM policy language: documents, statements, and decisions on requests. Pure.

`documents` parses and checks policies, `conditions` and `operators` evaluate their conditions,
and `decisions` combines the policies of a subject and a resource: begin there. `lint` names
statements that confine less than they seem to. The condition keys of requests are made in
`hashrange.api.authorization`; who calls is known to `hashrange.access.signatures`.
"""
