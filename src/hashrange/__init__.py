"""hashrange: a database server that speaks the Amazon DynamoDB API."""

__version__ = "0.1.0"
