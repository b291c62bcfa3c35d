"""Limits of contributor insights."""

from typing import Final

CONTRIBUTOR_INSIGHTS_PAGE_MAX: Final = 100
CONTRIBUTORS_MAX: Final = 25
"""Keys in one report of contributor insights."""
INSIGHT_RULE_CHARS_MAX: Final = 128
INSIGHT_MINUTES_MAX: Final = 15
"""Our own: finished minutes whose contributors are kept."""
INSIGHT_PLACES_MAX: Final = 64
"""Our own: tables and indexes whose contributors a process counts; the idlest is forgotten."""
INSIGHT_KEY_CHARS_MAX: Final = 400
"""Our own: a longer key of a contributor is shown by its beginning and a hash."""
