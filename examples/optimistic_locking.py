"""Optimistic locking: read, decide, write, without overwriting the changes of others.

A theatre keeps the seats of a performance in one item. To book three seats side by side, a
program must read the plan, choose, and write the plan back. Two that read the same plan would
both be content, and the second would wipe out the first. Nobody is locked out meanwhile: the item
carries a version, and the write says "only if the version is still the one I read".

    item           performance           attributes
    ------------   -------------------   ------------------------------------------
    performance    HAMLET#2026-03-06     version, rows: {A: ["Ada", "Ada", "-", …]}

    step                  request
    -------------------   -----------------------------------------------------
    read                  GetItem with ConsistentRead
    think                 in the program, for as long as it takes
    write                 PutItem if version = the one that was read; version + 1
    somebody was faster   ConditionalCheckFailedException: read again, think again

It is right where conflicts are rare; each costs a read and a refused write, and that is paid for
too. Where a change can be said as an expression ("one less, if there is one left"), say it so:
that is one request and needs no version, see atomic_counters.py.

One conflict is not what it seems: if the answer to a write is lost on the way, the SDK sends it
again, and the second finds the version that the first wrote. Who must know whether the booking is
theirs looks for their own name in the plan before trying again.
"""

from boto3.dynamodb.conditions import Attr

from playground import in_parallel, temporary_table

KEY = ("performance",)
HAMLET = "HAMLET#2026-03-06"
FREE = "-"
ATTEMPTS_MAX = 100


def open_sale(table, performance, rows):
    """A new plan, all seats free: `rows` says how many seats each row has."""
    plan = {row: [FREE] * seats for row, seats in rows.items()}
    table.put_item(
        Item={"performance": performance, "version": 1, "rows": plan},
        ConditionExpression=Attr("performance").not_exists(),
    )


def seat_plan(table, performance):
    """The plan as it is now: a read that is not consistent would only cost a conflict more."""
    return table.get_item(Key={"performance": performance}, ConsistentRead=True)["Item"]


def side_by_side(rows, party):
    """The first so many free seats beside each other: (row, number), or None."""
    for row, seats in sorted(rows.items()):
        for number in range(len(seats) - party + 1):
            if seats[number : number + party] == [FREE] * party:
                return row, number
    return None


def save(table, plan):
    """Writes the plan if nobody else did since it was read; False if somebody did."""
    try:
        table.put_item(
            Item=plan | {"version": plan["version"] + 1},
            ConditionExpression=Attr("version").eq(plan["version"]),
        )
    except table.meta.client.exceptions.ConditionalCheckFailedException:
        return False
    return True


def book(table, performance, name, party):
    """Books seats side by side: ((row, number) or None if there are none left, conflicts)."""
    for conflicts in range(ATTEMPTS_MAX):
        plan = seat_plan(table, performance)
        place = side_by_side(plan["rows"], party)
        if place is None:
            return None, conflicts
        row, number = place
        plan["rows"][row][number : number + party] = [name] * party
        if save(table, plan):
            return place, conflicts
    raise TimeoutError(f"{performance}: too much is going on")


def main(table):
    """Eight box offices sell at once until no three seats are left beside each other."""
    open_sale(table, HAMLET, {"A": 12, "B": 12, "C": 14, "D": 14})

    def box_office(own, this):
        booked, conflicts = [], 0
        while True:
            place, failed = book(own, HAMLET, f"office {this}", 3)
            conflicts += failed
            if place is None:
                return booked, conflicts
            booked.append(place)

    answers = in_parallel(table, 8, box_office)
    promised = [(place, this) for this, (booked, _) in enumerate(answers) for place in booked]
    plan = seat_plan(table, HAMLET)
    for (row, number), this in promised:
        assert plan["rows"][row][number : number + 3] == [f"office {this}"] * 3, "sold twice"
    conflicts = sum(failed for _, failed in answers)
    print(f"{len(promised)} parties of three booked by 8 threads, each seat sold once")
    print(
        f"Version {plan['version']}: one more for each booking; {conflicts} conflicts, all retried"
    )
    for row, seats in sorted(plan["rows"].items()):
        print(f"  {row}  {' '.join(name[-1] for name in seats)}")


if __name__ == "__main__":
    with temporary_table("theatre", KEY) as theatre:
        main(theatre)
