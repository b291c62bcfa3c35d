"""The APIs of AWS on the port, and the steps that each request goes through.

Begin with `requests/pipeline.py` and `dynamodb/registry.py`, the table of DynamoDB's operations.
`pipeline/` has the type of an operation and the parts of the steps, `authorization/` what a request
needs of policies, `admission/` what capacity it gets. Other APIs have a package each.
"""
