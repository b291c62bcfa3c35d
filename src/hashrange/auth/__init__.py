"""Signature Version 4: parsing the signatures of requests, and signing requests.

`sigv4` reads the identity that a request claims and refuses malformed signatures as the service
does; signatures are not verified. `signing` signs the requests that `hashrange copy` sends. What a
caller may do is decided in `operations.pipeline`.
"""
