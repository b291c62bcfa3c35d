"""The APIs of IAM and STS on the port of the database, in AWS's query protocol.

Forms come in and XML goes out: `forms`, `members` and `answers`, and `query_api` connects them to
the server. An operation is a row (`operation`), listed in `registry`; `performer` authorises and
executes it, for requests and for commands of the operator. What is stored is in
`hashrange.identities`, the policy language in `hashrange.policies`.
"""
