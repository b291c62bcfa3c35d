"""Whether an engine keeps its contract: trials that run on any database, and in the tests."""
