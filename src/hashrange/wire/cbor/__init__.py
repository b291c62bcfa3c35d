"""CBOR (RFC 8949), of DAX's protocol and of the CBOR protocols of AWS. Pure.

Here are the bytes of items, not the requests and answers that they are: `reader` makes items of
bytes, `scanner` finds the end of items that arrive in parts, `encoding` writes them.
"""
