"""The APIs of AWS on the port, and the steps that each request goes through.

Begin with `requests/pipeline.py` and `dynamodb/registry.py`, the table of DynamoDB's operations.
`steps/` has the type of an operation and the parts of the steps, `authorization/` what a request
needs of policies, `admission/` what capacity it gets. `aws_services/` has a package for each other
API.
"""
