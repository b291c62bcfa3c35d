"""PartiQL: parses statements and checks them without tables. Pure."""
