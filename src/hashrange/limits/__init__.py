"""Every limit, one module a subject, each name with its unit. Read in November 2026.

Sources are the service quotas page of the Developer Guide and the API's model, unless a limit says
otherwise; limits without a counterpart in DynamoDB say "our own". Import names from their module.
A new limit goes to the module of its subject: that of items to `requests`, the bound of a queue or
cache to the subject that it serves. Limits that an operator sets are in `hashrange.settings`.
"""
