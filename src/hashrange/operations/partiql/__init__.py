"""PartiQL: statements become plans of the operations on items and of transactions."""
