"""Condition keys of a request's connection, which all of AWS has. Pure; the time is an argument.

Source: IAM User Guide, "AWS global condition context keys".
"""

from typing import Final

from hashrange.model.times import iso_time
from hashrange.policies.variables import Context

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
"""What `connection_keys` may give."""


def connection_keys(
    *, region: str, source_ip: str, is_secure: bool, user_agent: str | None, now_ms: int
) -> Context:
    """The global keys of a request that say nothing of its principal.

    Args:
        region: that the request was signed for.
        source_ip: the address of the client.
        is_secure: the connection is encrypted.
        user_agent: as sent; without one the key is absent.
        now_ms: when the request came.
    """
    seconds = now_ms // 1000
    context = {
        "aws:requestedregion": (region,),
        "aws:sourceip": (source_ip,),
        "aws:securetransport": ("true" if is_secure else "false",),
        "aws:currenttime": (iso_time(now_ms),),
        "aws:epochtime": (str(seconds),),
    }
    return context if user_agent is None else {**context, "aws:useragent": (user_agent,)}
