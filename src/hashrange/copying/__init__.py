"""Moving all tables from one place to another, through the operations of the API."""
