"""PartiQL as DynamoDB has it: statements read and checked, without tables. Pure."""
