"""Attributes of generated items: accounts, and transfers with their entries, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

from dynamo import shard_of

TEXTS = ("Rent", "Lunch", "Salary", "Gift", "Books")


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; balances are the sums of the entries before them."""
    for group in count(1):
        names = [f"account-{group:05}-{each}" for each in range(5)]
        balances = dict.fromkeys(names, 0)
        for number in range(random.randint(5, 60)):
            debit, credit = random.sample(names, 2)
            amount = random.randint(1, 100_000)
            balances[debit] -= amount
            balances[credit] += amount
            yield from _transfer(random, f"t-{group}-{number}", debit, credit, amount)
        for name, balance in balances.items():
            account = {"accountId": name, "owner": name.title(), "currency": "EUR"}
            yield "Account", {**account, "balance": balance, "overdraft": True}


def _transfer(
    random: Random, transfer: str, debit: str, credit: str, amount: int
) -> Iterator[tuple[str, dict]]:
    day = f"2026-{random.randint(9, 11):02}-{random.randint(1, 28):02}"
    at, text = f"{day}T{random.randrange(24):02}:00:00.000Z", random.choice(TEXTS)
    head = {"transferId": transfer, "debit": debit, "credit": credit, "amount": amount}
    place = {"at": at, "day": day, "shard": shard_of(transfer, 4)}
    yield "Transfer", {**head, "text": text, **place}
    for account, other, signed in ((debit, credit, -amount), (credit, debit, amount)):
        entry = {"accountId": account, "month": day[:7], "bookedAt": at, "transferId": transfer}
        yield "Entry", {**entry, "amount": signed, "other": other, "text": text}
