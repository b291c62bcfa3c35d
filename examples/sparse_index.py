"""Sparse index: finds a few items of a large table without reading the others.

A help desk keeps every ticket for years; at any moment a handful are escalated, and somebody
looks at that list all day. A filter does not help: it is applied after the items are read, and
what is read is paid for. But an item is in an index only while it has all of the index's key
attributes. So the attribute that sorts the index exists only while the ticket is escalated.

    item      ticket    team      escalated_at             attributes
    -------   -------   -------   ----------------------   ---------------
    ticket    T-1002    billing                            subject, opened
    ticket    T-1204    billing   2026-03-02T09:15:00Z     subject, opened

    index `escalated`: partition key team, sort key escalated_at

    access pattern                             request
    ----------------------------------------   ------------------------------------------
    escalated tickets of a team, oldest first  Query  escalated, team = …
    escalate a ticket                          UpdateItem  SET escalated_at
    settle a ticket                            UpdateItem  REMOVE escalated_at

The index holds a handful of items however large the table grows: a Query costs half a read unit,
and most writes to the table (those of tickets that are not escalated) do not touch the index. A
flag like `escalated = false` would spoil it: an attribute that is always there indexes
everything.
"""

from boto3.dynamodb.conditions import Attr, Key

from playground import temporary_table

KEY = ("ticket",)
INDEXES = {"escalated": ("team", "escalated_at")}
TEAMS = ("billing", "network")
SUBJECTS = {
    "billing": "Invoice shows last year's address although it was changed in January",
    "network": "VPN drops every forty minutes from the branch office",
}


def open_ticket(batch, number):
    """An ordinary ticket: no escalated_at, so not in the index."""
    team = TEAMS[number % len(TEAMS)]
    batch.put_item(
        Item={
            "ticket": f"T-{number}",
            "team": team,
            "subject": SUBJECTS[team],
            "opened": f"2026-02-{number % 28 + 1:02}",
        }
    )


def escalate(table, ticket, at):
    """Puts the ticket into the index; at, an ISO 8601 time, is its place there."""
    table.update_item(
        Key={"ticket": ticket},
        UpdateExpression="SET escalated_at = :at",
        ConditionExpression=Attr("ticket").exists(),
        ExpressionAttributeValues={":at": at},
    )


def settle(table, ticket):
    """Takes the ticket out of the index; it stays in the table."""
    table.update_item(Key={"ticket": ticket}, UpdateExpression="REMOVE escalated_at")


def escalated(table, team):
    """The escalated tickets of a team, the oldest first, and the read units that they cost."""
    found = table.query(
        IndexName="escalated",
        KeyConditionExpression=Key("team").eq(team),
        ReturnConsumedCapacity="TOTAL",
    )
    return found["Items"], found["ConsumedCapacity"]["CapacityUnits"]


def escalated_by_scan(table, team):
    """The same without the index, to compare: reads every ticket, then throws most away."""
    found = table.scan(
        FilterExpression=Attr("team").eq(team) & Attr("escalated_at").exists(),
        ReturnConsumedCapacity="TOTAL",
    )
    return found["Items"], found["ConsumedCapacity"]["CapacityUnits"]


def main(table):
    """300 tickets, three of them escalated."""
    with table.batch_writer() as batch:
        for number in range(1001, 1301):
            open_ticket(batch, number)
    escalate(table, "T-1204", "2026-03-02T09:15:00Z")
    escalate(table, "T-1006", "2026-03-01T17:40:00Z")
    escalate(table, "T-1019", "2026-03-02T08:05:00Z")

    tickets, units = escalated(table, "billing")
    print("Escalated in billing, by the index:")
    for item in tickets:
        print(f"  {item['escalated_at']}  {item['ticket']}  {item['subject']}")
    same, scan_units = escalated_by_scan(table, "billing")
    assert sorted(item["ticket"] for item in same) == sorted(item["ticket"] for item in tickets)
    print(f"Read units: {units} by Query on the index, {scan_units} by Scan with a filter")

    settle(table, tickets[0]["ticket"])
    left = [item["ticket"] for item in escalated(table, "billing")[0]]
    print(f"After {tickets[0]['ticket']} is settled: {left}")


if __name__ == "__main__":
    with temporary_table("help-desk", KEY, INDEXES) as help_desk:
        main(help_desk)
