"""`hashrange verify` by the address of a server that verifies signatures."""

import pytest

from hashrange.settings.settings import Settings
from tests.access.seeding import seeded
from tests.served import ServerThread
from tests.unit.processes import run


def allowing(action):
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}],
    }


USERS = {
    "operator": ([allowing("hashrange:VerifyData")], {}),
    "viewer": ([allowing(["dynamodb:*", "hashrange:DescribeServer"])], {}),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """The address of a server, and the keys of its users, as variables."""
    data = tmp_path_factory.mktemp("verification") / "data"
    keys = seeded(data, USERS)
    server = ServerThread(Settings(port=0, drain_seconds=1, auth="required", data=data))
    yield (
        server.endpoint,
        {
            user: {name.upper(): value for name, value in each.items()}
            for user, each in keys.items()
        },
    )
    server.close()


def verified(guarded, user, **changed):
    endpoint, keys = guarded
    return run("verify", "--endpoint", endpoint, **{**keys[user], **changed})


def test_who_may_verify_the_data_has_the_findings(guarded):
    found = verified(guarded, "operator")
    assert (found.returncode, found.stdout) == (0, f"{guarded[0]}: sound\n")


@pytest.mark.parametrize(
    ("user", "changed", "text"),
    [
        ("viewer", {}, "is not authorized to perform: hashrange:VerifyData"),
        ("operator", {"AWS_SECRET_ACCESS_KEY": "another"}, "signature we calculated does not"),
        ("operator", {"AWS_ACCESS_KEY_ID": "AKIANOBODY"}, "security token included in the request"),
    ],
)
def test_others_are_refused(guarded, user, changed, text):
    found = verified(guarded, user, **changed)
    assert (found.returncode, found.stdout) == (2, "")
    assert text in found.stderr
