"""Texts about the policies of tables and streams.

Source of those with a number DDB-TABLE: measured by users, October 2026.
"""

from typing import Final

from hashrange.messages.text import Text

_NOT_FOUND: Final = "Resource-based policy not found for the provided ResourceArn: "

# ResourceNotFoundException. DDB-TABLE-212.
stream_not_found = Text("Requested resource not found: Stream: {label} not found for Table: {table}")
# PolicyNotFoundException. Verified.
policy_not_found = Text(_NOT_FOUND + "{arn}", 280)
# PolicyNotFoundException: NO_POLICY was expected. Verified.
policy_exists = Text(_NOT_FOUND + "Requested policy update expecting none to be present for {slot}, but a policy exists with revision id {revision}.", 280)
# PolicyNotFoundException: another revision was expected. Verified.
other_revision = Text(_NOT_FOUND + "Requested update for policy with revision id {expected}, but the policy associated to target {slot} has revision id {revision}.", 280)
# PolicyNotFoundException: a revision was expected, and there is no policy. DDB-TABLE-205, whose
# record of the text ends before the last words.
no_policy_of_revision = Text(_NOT_FOUND + "Requested update for policy with revision id {expected}, but {slot} has no associated policy.")
# ResourceInUseException right after a change. DDB-TABLE-206.
update_pending = Text("Attempt to change a resource which is still in use: {kind} is pending previous resource-based policy update: {name}")
# ThrottlingException until some seconds after a change. DDB-TABLE-206.
changed_just_now = Text("Resource-based policy for {slot} modified within the previous {pause_ms} milliseconds. Please try again after {until}.")
# AccessDeniedException without ConfirmRemoveSelfResourceAccess. DDB-TABLE-210.
locks_out_author = Text("The new resource policy will not allow you to update the resource policy in the future.")
