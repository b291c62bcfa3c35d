"""Credentials that are kept in a dict: signatures are verified without an engine."""

from hashrange.access.identities.stored_credentials import Credential
from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.principals import Principal
from hashrange.errors import DynamoError, Fault
from hashrange.messages.access import token_invalid
from tests.unit.access.policies.subjects import document

ACCOUNT = "210987654321"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
EVERYTHING = (document({"Effect": "Allow", "Action": "*", "Resource": "*"}),)


def user(name="alice"):
    """A subject that may do everything."""
    arn = f"arn:aws:iam::{ACCOUNT}:user/{name}"
    return Subject(Principal(type="User", arn=arn, account=ACCOUNT, user_name=name), EVERYTHING)


def session(name="work"):
    """A subject of a role's session, which may do everything."""
    arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/{name}"
    issuer = f"arn:aws:iam::{ACCOUNT}:role/reader"
    principal = Principal(type="AssumedRole", arn=arn, account=ACCOUNT, issuer=issuer)
    return Subject(principal, EVERYTHING)


def long_term(access_key="AKIDEXAMPLE", secret_key=SECRET, subject=None):
    """A credential of a user."""
    return Credential(access_key, secret_key, user() if subject is None else subject)


class StaticCredentials:
    """Credentials by access key and session token; each change is another epoch."""

    def __init__(self, *credentials):
        self.epoch = 0
        self._found = {}
        for each in credentials:
            self.add(each)

    def add(self, credential, session_token=None):
        self._found[credential.access_key, session_token] = credential
        self.epoch += 1

    def revoke(self, access_key, session_token=None):
        del self._found[access_key, session_token]
        self.epoch += 1

    def find(self, access_key, session_token):
        found = self._found.get((access_key, session_token))
        if found is None:
            raise DynamoError(Fault.UNRECOGNIZED_CLIENT, token_invalid())
        return found
