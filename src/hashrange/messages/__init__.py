"""Every text that a client can see, one function a text."""
