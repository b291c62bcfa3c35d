"""The IAM policy language: documents, statements, and decisions on requests. Pure."""
