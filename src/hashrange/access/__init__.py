"""Authorization: callers, their policies, and the identities that the engine keeps.

`signatures/` finds the caller of a request, `policies/` is the policy language: both are pure.
`identities/` keeps users, roles, access keys and sessions in the engine. `credentials_file`
reads keys to sign with.
"""
