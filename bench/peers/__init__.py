"""The server beside others that speak the same API."""
