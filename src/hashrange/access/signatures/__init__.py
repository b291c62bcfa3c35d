"""Signature Version 4: parsing, verifying and making signatures of requests. Pure.

`sigv4` reads the identity that a request claims and refuses malformed signatures as the service
does. `verification` decides whether a signature is right, from the text that `canonical` makes of a
request and the window of time that `windows` reads; the secret key is an argument. `signing` signs
the requests that `hashrange copy` sends. Where secret keys come from is in `identities`, which
requests are verified in `server`, and what a caller may do in `policies`.
"""
