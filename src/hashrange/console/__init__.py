"""The console: pages for browsers at /_console/, and the routes that these pages use.

The pages are clients of the public APIs. `calls.py` signs their requests and hands them to the
endpoint of the server, so there is no second path to the tables. `routes.py` has the table of
routes and is where to begin; `static/` has the pages, and `static/vendor/` packages that they use.
docs/internals/console.md says how a page is added.
"""
