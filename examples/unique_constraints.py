"""Unique constraints: an email that only one user can have, and a user name too.

DynamoDB keeps one thing unique: the primary key. An index does not help; it holds as many items
for one key as there are, and it lags behind the table. So whatever must be unique becomes a key:
a marker item, put with the condition that it is not there. User and markers stand or fall
together, in one transaction.

    item     pk                       attributes
    ------   ----------------------   -----------------
    user     USER#1815                email, name
    marker   EMAIL#ada@example.com    user
    marker   NAME#ada                 user

    access pattern     request
    ----------------   --------------------------------------------------------------------
    sign up            TransactWriteItems: three Put, each if there is no such item
    change the email   TransactWriteItems: Update the user, Delete one marker, Put another
    user by email      GetItem the marker, GetItem the user; both may be consistent reads

A transaction that is refused says why for each of its actions, in their order: that tells which
of the two is taken. It is also refused while another is at work on one of its items; then it is
tried again (`transact` in playground.py). What counts as the same is decided here: addresses are
folded to lower case.

If only one attribute must be unique and it never changes, no marker is needed: make it the key.
"""

from playground import in_parallel, temporary_table, transact

KEY = ("pk",)
ABSENT = "attribute_not_exists(pk)"


class TakenError(Exception):
    """Somebody else has it: `what` is an attribute of the user."""

    def __init__(self, what):
        super().__init__(f"this {what} is taken")
        self.what = what


def email_key(email):
    """The marker of an address, however it is written."""
    return {"pk": f"EMAIL#{email.strip().lower()}"}


def name_key(name):
    """The marker of a user name."""
    return {"pk": f"NAME#{name.lower()}"}


def sign_up(table, user, email, name):
    """A new user; raises TakenError if the email or the name has an owner."""
    new = {"pk": f"USER#{user}", "email": email, "name": name}
    items = [new, email_key(email) | {"user": user}, name_key(name) | {"user": user}]
    puts = [{"Put": {"Item": item, "ConditionExpression": ABSENT}} for item in items]
    for what, reason in zip(("number", "email", "name"), transact(table, *puts), strict=False):
        if reason == "ConditionalCheckFailed":
            raise TakenError(what)


def change_email(table, user, old, new):
    """Gives the old address back and takes another, in one step: two actions, so two markers."""
    update = {
        "Key": {"pk": f"USER#{user}"},
        "UpdateExpression": "SET email = :new",
        "ConditionExpression": "email = :old",
        "ExpressionAttributeValues": {":old": old, ":new": new},
    }
    refused = transact(
        table,
        {"Update": update},
        {"Delete": {"Key": email_key(old)}},
        {"Put": {"Item": email_key(new) | {"user": user}, "ConditionExpression": ABSENT}},
    )
    if refused and refused[0] == "ConditionalCheckFailed":
        raise LookupError(f"{old} is not the address of {user}")
    if refused:
        raise TakenError("email")


def user_by_email(table, email):
    """The user with an address, or None; both reads see every write that was answered."""
    marker = table.get_item(Key=email_key(email), ConsistentRead=True).get("Item")
    if marker is None:
        return None
    return table.get_item(Key={"pk": f"USER#{marker['user']}"}, ConsistentRead=True).get("Item")


def main(table):
    """One sign-up, one refusal, one change, and a race."""
    sign_up(table, "1815", "ada@example.com", "ada")
    try:
        sign_up(table, "1816", "Ada@Example.com", "countess")
    except TakenError as taken:
        print("Ada@Example.com, once more:", taken)
    print("Left of the refused user:", table.get_item(Key=name_key("countess")).get("Item"))

    change_email(table, "1815", "ada@example.com", "ada@analytical.example")
    sign_up(table, "1816", "ada@example.com", "countess")
    for email in ("ada@analytical.example", "ada@example.com"):
        print(f"{email} is", user_by_email(table, email)["name"])

    def racer(own, number):
        try:
            sign_up(own, f"19{number:02}", f"racer{number}@example.com", "grace")
        except TakenError as taken:
            return taken.what
        return None

    answers = in_parallel(table, 8, racer)
    assert sorted(answers, key=str) == [None, *["name"] * 7], "not exactly one"
    left = table.scan(ConsistentRead=True)["Items"]
    print(f"8 threads want the name grace: {answers.count(None)} has it, 7 were told so")
    print("Users in the table:", sum(item["pk"].startswith("USER#") for item in left))


if __name__ == "__main__":
    with temporary_table("users", KEY) as users:
        main(users)
