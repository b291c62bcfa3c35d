"""Limits of the control plane, with their units. Source: the service quotas, the API's model."""

from typing import Final

CLUSTER_NAME_CHARS_MAX: Final = 20
GROUP_NAME_CHARS_MAX: Final = 255
DESCRIPTION_CHARS_MAX: Final = 255
ARN_CHARS_MAX: Final = 1283
CLUSTER_NODES_MAX: Final = 10
"""As the API's model has it; the quotas page says 11."""
ACCOUNT_NODES_MAX: Final = 50
SERVER_NODES_MAX: Final = 200
"""Of all accounts and regions; our own: each is a port, and each cluster has caches."""
PARAMETER_GROUPS_MAX: Final = 20
SUBNET_GROUPS_MAX: Final = 50
SUBNETS_MAX: Final = 20
PARAMETERS_MAX: Final = 20
"""In one UpdateParameterGroup."""
PAGE_MIN: Final = 20
PAGE_MAX: Final = 100
TTL_MS_MAX: Final = 2**53 - 1
TTL_MS_DEFAULT: Final = 300_000
"""Of items and of pages, unless a parameter group or a setting says otherwise."""
EVENTS_DAYS: Final = 14
EVENTS_MAX: Final = 500
"""Of all clusters and groups of an account and region; our own."""
EVENTS_DEFAULT_MINUTES: Final = 24 * 60
