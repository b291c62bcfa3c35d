"""The HTTP server: bytes of a socket to requests, responses to bytes.

Here: listening and connections, the HTTP parser, limits and timeouts, compression, checks of
origins and host names, the request log, `/metrics` and `/top.json`. Not here: what a request of the
API does, which is `operations`, and the JSON of its body, which is `wire`.

Begin with `listener` (sockets and the timer), then `connection` (one client) and `endpoint`
(one request of the API).
"""
