"""What the lint of policies says to their authors. Our own words."""

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
