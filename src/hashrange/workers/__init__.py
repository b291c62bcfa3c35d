"""A server of several processes: a supervisor, those that answer, one that writes."""
