"""Policies of tables and streams."""

import json

OWNER = "000000000000"


def policy(action="dynamodb:GetItem", *, effect="Allow", principal=None, **elements):
    """The text of a policy with one statement."""
    statement = {
        "Effect": effect,
        "Principal": principal or {"AWS": OWNER},
        "Action": action,
        "Resource": "*",
        **elements,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})
