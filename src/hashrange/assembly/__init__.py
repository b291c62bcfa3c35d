"""Composition roots: the parts of a server, connected.

`assemble.py` makes a server, `dax_upstream.py` a DAX endpoint in front of another one; `parts.py`
has what the processes of a server share.
"""
