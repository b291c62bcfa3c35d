"""Bytes to typed requests and answers to bytes, in DynamoDB's JSON."""
