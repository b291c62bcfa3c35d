"""The setting that names the servers of other regions."""

import pytest

from hashrange.settings.peers import PeerAddress, peer_addresses
from hashrange.settings.sources import load
from hashrange.settings.texts import SettingError

LOCAL = {"regions": "us-east-1", "peer": "eu-west-1=http://127.0.0.1:8001"}
FAR = {"regions": "us-east-1", "peer": "eu-west-1=https://b.example", "peer_key_file": "key"}


def test_places():
    text = "eu-west-1=http://[::1]:8001; ap-south-1=https://b.example/"
    one, two = peer_addresses(text)
    assert one == PeerAddress(region="eu-west-1", host="::1", port=8001, is_secure=False)
    assert two == PeerAddress(region="ap-south-1", host="b.example", port=443, is_secure=True)
    assert (one.authority, two.authority) == ("[::1]:8001", "b.example:443")
    assert (one.is_local, two.is_local) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "eu-west-1",
        "eu=http://a",
        "eu-west-1=ftp://a",
        "eu-west-1=http://",
        "eu-west-1=http://u@a",
        "eu-west-1=http://a/path",
        "eu-west-1=http://a:b",
        "eu-west-1=http://a?b",
        "eu-west-1=http://a;eu-west-1=http://b",
    ],
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"."):
        peer_addresses(text)


def test_settings_of_peers():
    settings = load(LOCAL, {})
    assert settings.own_regions == ("us-east-1",)
    assert settings.replica_regions == ("us-east-1", "eu-west-1")
    assert load({**FAR, "auth": "required"}, {}).peers[0].is_secure


def test_a_table_of_the_settings_file(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('regions = "us-east-1"\n[peer]\neu-west-1 = "http://127.0.0.1:8001"\n')
    settings = load({}, {}, config=str(path))
    assert [each.authority for each in settings.peers] == ["127.0.0.1:8001"]


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ({"regions": "us-east-1"}, "--regions needs two or more regions, or --peer"),
        ({"peer": LOCAL["peer"]}, "--peer needs --regions"),
        ({**LOCAL, "regions": "eu-west-1"}, "--peer eu-west-1 is one of --regions"),
        ({**LOCAL, "workers": "2"}, "--peer cannot be combined with --workers"),
        ({**LOCAL, "auth": "required"}, "--peer needs --peer-key-file"),
        ({**LOCAL, "peer": "eu-west-1=http://b.example"}, "--peer needs --peer-key-file"),
        (
            {**FAR, "auth": "required", "peer": "eu-west-1=http://b.example"},
            "--auth required needs https://",
        ),
        ({"peer_ca": "file"}, "--peer-key-file and --peer-ca need --peer"),
    ],
)
def test_conflicts(flags, text):
    with pytest.raises(SettingError, match=text):
        load(flags, {})
