"""Whether callers may make their requests: the policy of the pipeline.

Begin with `guard`, which decides; `residuals` are evaluated on the plan. It asks the row of an
operation for the actions, resources and condition keys of a request and its plan, and `governed`
for the policies and tags of resources. Policies are evaluated in `hashrange.access.policies`; the
caller is authenticated before, in `hashrange.server`.
"""
