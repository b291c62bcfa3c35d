"""Who calls: the form of the Authorization header."""
