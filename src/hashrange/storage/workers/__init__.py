"""The engine of worker processes: they read the data file, and one other process writes it."""
