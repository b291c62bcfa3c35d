"""The command line: what an operator types, and what comes back in one line if it cannot be."""
