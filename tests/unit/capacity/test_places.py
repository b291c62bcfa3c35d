"""Units are counted at the place of their charge, in their minute."""

from hashrange.capacity.places import consume
from hashrange.capacity.resources import MINUTE_MS, Terms, new_table


# Warm throughput and auto scaling go by the minutes, the last of which is one alone.
def test_units_count_in_the_minute_in_which_they_are_consumed():
    terms = Terms(mode="PROVISIONED", read_units=5, write_units=5)
    table = new_table("arn:x:table/t", terms, 0, has_sort_key=False)
    resource = table.table
    place = (table, resource, None, b"")
    consume(place, 1.0, 2.0, MINUTE_MS - 1)
    assert (resource.minute.read_units, resource.minute.write_units) == (1.0, 2.0)
    consume(place, 0.0, 3.0, MINUTE_MS)
    assert (resource.minute.read_units, resource.minute.write_units) == (0.0, 3.0)
    assert [minute.write_units for minute in resource.minutes] == [2.0]
