"""Findings of the lint of policies for their authors. Our own words."""

from hashrange.messages.text import Text

# A key that may have several values is compared as one value.
needs_quantifier = Text("{key} may have several values in a request: compare it with ForAllValues or ForAnyValue")


def keys_absent(effect: str) -> str:
    """Actions whose requests have no partition key values."""
    return f"dynamodb:LeadingKeys does not confine these actions: {_absent(effect)}"


def attributes_absent(effect: str) -> str:
    """Actions whose requests name no attributes."""
    return f"dynamodb:Attributes does not confine these actions: {_absent(effect)}"


def _absent(effect: str) -> str:
    if effect == "Allow":
        return "their requests may lack the key, and the condition then holds"
    return "their requests may lack the key, and the statement then does not deny them"


# Reads without a projection.
whole_items_read = Text("dynamodb:Attributes does not confine these reads: without a projection they show whole items; allow them if dynamodb:Select is SPECIFIC_ATTRIBUTES")
# Writes that answer with items.
whole_items_returned = Text("dynamodb:Attributes does not confine what these writes return: allow them if dynamodb:ReturnValues is NONE, UPDATED_OLD or UPDATED_NEW")
# An action that no service on the port has, or a pattern that matches none.
unknown_actions = Text("This server has no such actions, so the statement says nothing of them")
# A resource of S3 in a statement on actions of DynamoDB.
resource_of_other_service = Text("No action of the statement has a resource like {resource}")
# A name that was misspelled, or another account or region.
resource_of_no_table = Text("No table that exists is {resource}")
# A key that no request has.
unknown_key = Text("No request has the condition key {key}")
# A key of other actions.
key_of_other_actions = Text("No action of the statement has the condition key {key}")
# Allow with NotAction.
allows_all_but = Text("NotAction allows every other action, also those of other services")
# Allow with an action * on the resource *.
allows_everything = Text("The statement allows these actions on everything, without a condition")
# Allow with NotResource.
allows_all_resources_but = Text("NotResource allows the actions on every other resource, also on those that will be made")
# Principal * in the policy of a table or stream.
allows_everyone = Text("Principal * allows it to everyone, without a condition")
