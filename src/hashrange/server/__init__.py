"""Sockets: HTTP in, HTTP out."""
