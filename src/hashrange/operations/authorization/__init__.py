"""The permissions that requests need: actions on resources, each with its condition keys.

Begin with `permissions`, which gives them for a checked request and its plan. Policies are
evaluated in `hashrange.policies`; the pipeline asks its `Policy`, and the server has none yet.
"""
