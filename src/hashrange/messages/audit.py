"""Texts of CloudTrail's LookupEvents.

Source: the codes are those of CloudTrail's API model (2026); the texts are our own.
"""

from hashrange.messages.text import Text

# More than one lookup attribute.
one_attribute = Text("You can specify only one lookup attribute.")
# A key that is none, or a value without or with too many characters.
invalid_attribute = Text("The lookup attribute is not valid.")
# Any EventCategory: there are no events of Insights.
invalid_category = Text("The event category is not valid: there are no Insights events.")
# MaxResults is not from 1 to 50.
invalid_max_results = Text("The maximum number of results must be from 1 to 50.")
# StartTime after EndTime, or a time that is none.
invalid_time_range = Text("The time range is not valid.")
# A token that is none, or of a request with other parameters.
invalid_next_token = Text("The next token is not valid, or it is of a request with other parameters.")
# Two of them run already.
too_many_lookups = Text("Rate exceeded")
