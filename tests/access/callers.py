"""Access keys and sessions of callers, made in the test."""

import json

from hashrange.access.identities.stored_credentials import Credential
from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal
from hashrange.errors import DynamoError, Fault
from hashrange.messages import access as messages

ACCOUNT = "111111111111"
EVERYTHING = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
}


def documents(*policies, use=PolicyUse.INLINE):
    return tuple(parse(json.dumps(each), use) for each in policies)


class Callers:
    """Finds the credentials of callers; a change of them makes the earlier ones void."""

    def __init__(self):
        self.epoch = 1
        self._found = {}

    def find(self, access_key, session_token):
        """As `Credentials.find`."""
        found = self._found.get(access_key)
        if found is None or found[1] != session_token:
            raise DynamoError(Fault.UNRECOGNIZED_CLIENT, messages.token_invalid())
        return found[0]

    def _add(self, credential, token=None):
        self._found[credential.access_key] = (credential, token)
        self.epoch += 1
        keys = {
            "aws_access_key_id": credential.access_key,
            "aws_secret_access_key": credential.secret_key,
        }
        return keys if token is None else {**keys, "aws_session_token": token}

    def user(self, name, *policies, tags=None, account=ACCOUNT):
        """A user with these policies; the keys for a client."""
        principal = Principal(
            type="User",
            arn=f"arn:aws:iam::{account}:user/{name}",
            account=account,
            user_id=f"AIDA{name.upper()}",
            user_name=name,
            tags=tags or {},
        )
        subject = Subject(principal, documents(*policies))
        return self._add(Credential(f"AKIA{name.upper():X<16}", f"secret of {name}", subject))

    def session(self, role, name, *policies, session=None, tags=None, expires_ms=2**52):
        """A session of a role, with session policies; the keys for a client."""
        principal = Principal(
            type="AssumedRole",
            arn=f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{name}",
            account=ACCOUNT,
            issuer=f"arn:aws:iam::{ACCOUNT}:role/{role}",
            user_id=f"AROA{role.upper()}:{name}",
            tags=tags or {},
            token_issued="2026-11-01T08:00:00Z",
        )
        limits = None if session is None else documents(session, use=PolicyUse.SESSION)
        subject = Subject(principal, documents(*policies), session=limits)
        credential = Credential(
            f"ASIA{(role + name).upper():X<16}"[:20], f"secret of {name}", subject, expires_ms
        )
        return self._add(credential, f"token of {role} {name}")

    def revoke(self, keys):
        """Make an access key void."""
        del self._found[keys["aws_access_key_id"]]
        self.epoch += 1
