"""The ratios of servers that take turns."""

from bench.sidebyside import Line, Round, table


def figures(cpu_us, rate):
    return {"cpu_us": cpu_us, "requests_per_second": rate}


def turn(ours, theirs=None, *, foreign=0.0):
    """A round in which the echo costs 10 µs."""
    found = {"constant": figures(10, 900), "hashrange": figures(*ours)}
    return Round(found | ({} if theirs is None else {"Dynoxide": figures(*theirs)}), foreign)


def cells(*rounds):
    """The cells of one row, by the heads of the table."""
    heads, _, row = table([Line("put", 32, list(rounds))]).splitlines()
    names, values = ([each.strip() for each in line.split("|")[1:-1]] for line in (heads, row))
    return dict(zip(names, values, strict=True))


# One round that another program has disturbed must not decide.
def test_a_ratio_is_the_median_of_the_rounds():
    found = cells(
        turn((50, 300), (20, 100), foreign=0.1),
        turn((990, 1), (20, 100), foreign=1.9),
        turn((40, 200), (30, 100), foreign=0.2),
    )
    assert (found["row"], found["connections"]) == ("put", "32")
    assert (found["hashrange: echoes"], found["Dynoxide: echoes"]) == ("5.00", "2.00")
    assert (found["times Dynoxide"], found["foreign cores"]) == ("2.00", "0.2")


def test_a_server_that_was_not_measured_has_no_ratio():
    found = cells(turn((50, 300)), turn((None, 300), (0, 100)))
    assert found["hashrange: echoes"] == "5.00"  # the second round lasted for no tick of the clock
    assert found["times Dynoxide"] == "3.00"
    assert [found[f"{name}: echoes"] for name in ("Dynoxide", "hashrange, memory")] == ["-", "-"]
