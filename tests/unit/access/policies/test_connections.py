"""Global condition keys."""

from hashrange.access.policies.connections import connection_keys
from hashrange.access.policies.operators import seconds_of
from tests.unit.access.policies.test_conditions import holds

NOON_MS = 1_767_268_800_000


def _keys(**changes):
    members = {"region": "eu-west-1", "source_ip": "10.1.2.3", "is_secure": False}
    return connection_keys(**{**members, "user_agent": "Boto3/1", "now_ms": NOON_MS, **changes})


def test_keys_of_a_connection():
    assert _keys() == {
        "aws:requestedregion": ("eu-west-1",),
        "aws:sourceip": ("10.1.2.3",),
        "aws:securetransport": ("false",),
        "aws:useragent": ("Boto3/1",),
        "aws:currenttime": ("2026-01-01T12:00:00Z",),
        "aws:epochtime": ("1767268800",),
    }
    other = _keys(user_agent=None, is_secure=True)
    assert "aws:useragent" not in other
    assert other["aws:securetransport"] == ("true",)


# A Deny for all but some addresses also applies to a client that has none.
def test_no_address_is_none_of_the_allowed():
    condition = {"NotIpAddress": {"aws:SourceIp": "10.0.0.0/8"}}
    assert holds(condition, _keys(source_ip=""))
    assert holds(condition, _keys(source_ip="11.1.2.3"))
    assert not holds(condition, _keys())
    assert not holds({"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}, _keys(source_ip=""))


# Both keys of the time can be compared with either form of a date.
def test_both_times_are_one():
    keys = _keys(now_ms=NOON_MS + 999)
    times = {seconds_of(keys[key][0]) for key in ("aws:currenttime", "aws:epochtime")}
    assert times == {NOON_MS // 1000}
