"""PartiQL: statements that become the plans of the operations on items, and of transactions."""
