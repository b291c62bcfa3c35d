"""Condition keys of a request's connection, which all of AWS has. Pure; the time is an argument.

Source: IAM User Guide, "AWS global condition context keys".
"""

from typing import Final

from hashrange.access.policies.variables import Context
from hashrange.model.times import iso_time

CONNECTION_KEYS: Final = frozenset(
    {
        "aws:currenttime",
        "aws:epochtime",
        "aws:requestedregion",
        "aws:securetransport",
        "aws:sourceip",
        "aws:useragent",
    }
)
"""Keys that `connection_keys` may give."""


def service_keys(*, region: str, now_ms: int) -> Context:
    """The global keys of a request that a service makes by itself; it has no address.

    Args:
        region: that it calls.
        now_ms: when.
    """
    return {"aws:securetransport": ("true",), **_keys_of_place_and_time(region, now_ms)}


def connection_keys(
    *, region: str, source_ip: str, is_secure: bool, user_agent: str | None, now_ms: int
) -> Context:
    """The global keys of a request that say nothing of its principal.

    Args:
        region: that the request was signed for.
        source_ip: the address of the client; without one the key is absent, as a value that is no
            address would fulfil no condition, and a Deny for other addresses would not apply.
        is_secure: the connection is encrypted.
        user_agent: as sent; without one the key is absent.
        now_ms: when the request came.
    """
    context = {
        "aws:sourceip": (source_ip,) if source_ip else (),
        "aws:securetransport": ("true" if is_secure else "false",),
        **_keys_of_place_and_time(region, now_ms),
    }
    return context if user_agent is None else {**context, "aws:useragent": (user_agent,)}


def _keys_of_place_and_time(region: str, now_ms: int) -> Context:
    return {
        "aws:requestedregion": (region,),
        "aws:currenttime": (iso_time(now_ms),),
        "aws:epochtime": (str(now_ms // 1000),),
    }
