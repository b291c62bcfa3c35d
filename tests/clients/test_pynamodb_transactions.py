"""PynamoDB's transactions, on a bank: accounts with versions, and a statement of what was moved."""

import pytest
from pynamodb.attributes import NumberAttribute, UnicodeAttribute, VersionAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, TransactWriteError
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite


class Bank:
    region = "us-east-1"
    billing_mode = "PAY_PER_REQUEST"
    aws_access_key_id = "local"
    aws_secret_access_key = "local"


class Account(Model):
    class Meta(Bank):
        table_name = "pynamodb-bank"

    name = UnicodeAttribute(hash_key=True)
    balance = NumberAttribute(default=0)
    version = VersionAttribute()


class Statement(Model):
    class Meta(Bank):
        table_name = "pynamodb-statements"

    name = UnicodeAttribute(hash_key=True)
    amount = NumberAttribute()


@pytest.fixture(scope="module")
def bank(endpoint, environment):
    """A connection; the tables of both models are there."""
    for model in (Account, Statement):
        model.Meta.host = endpoint
        model.create_table(wait=True)
    with pytest.MonkeyPatch.context() as patched:
        # A connection of its own takes its credentials from the environment.
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patched.setenv(name, environment[name])
        yield Connection(region="us-east-1", host=endpoint)


@pytest.fixture
def accounts(bank, request):
    """Two accounts of this test's own, with 10 and nothing."""
    both = [Account(f"{request.node.name}-{side}") for side in ("from", "to")]
    both[0].balance = 10
    for account in both:
        account.save()
    return both


def _move(bank, accounts, amount, **tokens):
    source, target = accounts
    with TransactWrite(connection=bank, **tokens) as transaction:
        transaction.update(
            source,
            [Account.balance.add(-amount)],
            Account.balance >= amount,
            return_values="ALL_OLD",
        )
        transaction.update(target, [Account.balance.add(amount)])
        transaction.save(Statement(source.name, amount=amount), Statement.name.does_not_exist())


# Versions go up in the models too, and the next transaction relies on them.
def test_move(bank, accounts):
    _move(bank, accounts, 4)
    assert [account.version for account in accounts] == [2, 2]
    with TransactGet(connection=bank) as transaction:
        found = [transaction.get(Account, account.name) for account in accounts]
        statement = transaction.get(Statement, accounts[0].name)
        missing = transaction.get(Statement, accounts[1].name)
    assert [(future.get().balance, future.get().version) for future in found] == [(6, 2), (4, 2)]
    assert statement.get().amount == 4
    with pytest.raises(DoesNotExist):
        missing.get()


# The reasons of the actions that held are None; of the one that did not, the item is there.
def test_cancelled(bank, accounts):
    with pytest.raises(TransactWriteError) as refused:
        _move(bank, accounts, 11)
    assert refused.value.cause_response_code == "TransactionCanceledException"
    assert len(refused.value.cancellation_reasons) == 3
    broken = [reason for reason in refused.value.cancellation_reasons if reason]
    assert [(reason.code, reason.message) for reason in broken] == [
        ("ConditionalCheckFailed", "The conditional request failed")
    ]
    assert broken[0].raw_item["balance"] == {"N": "10"}
    assert [Account.get(account.name).balance for account in accounts] == [10, 0]
    with pytest.raises(DoesNotExist):
        Statement.get(accounts[0].name)


# Somebody else was there in between: the version of the model is an old one.
def test_cancelled_by_a_version(bank, accounts):
    Account.get(accounts[1].name).update(actions=[Account.balance.add(1)])
    with pytest.raises(TransactWriteError) as refused:
        _move(bank, accounts, 1)
    assert [reason.code for reason in refused.value.cancellation_reasons if reason] == [
        "ConditionalCheckFailed"
    ]
    assert [Account.get(account.name).balance for account in accounts] == [10, 1]


def test_check_and_delete(bank, accounts):
    first, second = accounts
    with TransactWrite(connection=bank) as transaction:
        transaction.condition_check(Account, first.name, condition=Account.balance == 10)
        transaction.delete(second)
    assert Account.get(first.name).balance == 10
    with pytest.raises(DoesNotExist):
        second.refresh()
