"""The APIs of AWS beside DynamoDB and IAM: CloudWatch, DAX clusters, Kinesis, auto scaling.

Each is a package with the row of its service in `service`, its backend and its operations.
`hashrange.assembly.apis` makes them.
"""
