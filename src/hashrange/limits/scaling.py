"""Limits of auto scaling."""

from typing import Final

SCALING_TARGET_PERCENT_MIN: Final = 10
"""Source: users' measurements, October 2026; the Developer Guide says 20."""
SCALING_TARGET_PERCENT_MAX: Final = 90
SCALING_TARGET_MIN: Final = 8.51592e-109
"""Of any metric. Source: users' measurements, October 2026."""
SCALING_TARGET_MAX: Final = 1.174271e108
SCALING_TARGETS_MAX: Final = 5000
"""Scalable targets of one account and region."""
SCALING_ACTIONS_MAX: Final = 200
"""Scheduled actions of one target."""
SCALING_NAME_CHARS_MAX: Final = 256
SCALING_LABEL_CHARS_MAX: Final = 1023
SCALING_TAG_KEYS_MAX: Final = 200
"""Keys of one UntagResource."""
SCALING_ID_CHARS_MAX: Final = 1600
"""Resource ids, schedules, time zones, roles."""
SCALING_ARN_CHARS_MAX: Final = 1011
SCALING_PAGE_MAX: Final = 50
SCALING_POLICIES_PAGE_MAX: Final = 10
SCALING_ACTIVITIES_DAYS: Final = 42
"""How long activities are kept."""
SCALING_ACTIVITIES_MAX: Final = 200
"""Our own: activities that are kept of one target."""
SCALING_RUNS_KEPT_MAX: Final = 10_000
"""Next runs of scheduled actions that are kept in memory."""
