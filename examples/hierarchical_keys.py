"""Hierarchical sort keys: one key answers at every level of a tree.

A chain of bicycle shops wants its stores in a country, in a state, in a city, in a postcode. Four
indexes? One sort key: the levels from the widest to the narrowest, joined. A level is a prefix,
and the items below it lie side by side.

    item     country   place
    ------   -------   -------------------------------
    store    US        NY#NEW YORK#10001#S-014

    access pattern             request
    ------------------------   ------------------------------------------------------
    stores in the country      Query  country = US
    … in a state               Query  country = US, place begins with NY#
    … in a city                Query  country = US, place begins with NY#NEW YORK#
    … in a postcode            Query  country = US, place begins with NY#NEW YORK#10001#

The prefix must end with the separator. "NY#NEW YORK" also begins the key of New York Mills, a
village 200 miles away: a fault that shows in production, not in a test with two cities.

What it cannot do: skip a level (a postcode without its state), or move an item; a store that
moves gets a new key, so it is deleted and put again. One country is one item collection: fine for
stores, too hot for the world's taxis.
"""

from boto3.dynamodb.conditions import Key

from playground import temporary_table

KEY = ("country", "place")
SEPARATOR = "#"

STORES = [
    ("US", "NY", "NEW YORK", "10001", "S-014", "Chelsea Cycles"),
    ("US", "NY", "NEW YORK", "10003", "S-015", "Astor Bikes"),
    ("US", "NY", "NEW YORK", "10001", "S-031", "High Line Wheels"),
    ("US", "NY", "NEW YORK MILLS", "13417", "S-077", "Mill Street Bikes"),
    ("US", "NY", "BUFFALO", "14201", "S-022", "Lakeside Cycles"),
    ("US", "CA", "SAN FRANCISCO", "94103", "S-002", "Mission Bikes"),
    ("CA", "ON", "TORONTO", "M5V", "S-090", "Queen West Cycles"),
]


def add_store(table, country, *place, name):
    """The sort key is made here and nowhere else: no level may contain the separator."""
    assert not any(SEPARATOR in level for level in place), "the levels would be taken apart wrongly"
    table.put_item(Item={"country": country, "place": SEPARATOR.join(place), "name": name})


def below(country, levels):
    """What lies below a place: the levels from the left, as many as are known."""
    condition = Key("country").eq(country)
    if levels:
        condition &= Key("place").begins_with(SEPARATOR.join(levels) + SEPARATOR)
    return condition


def stores_in(table, country, *levels):
    """Stores at any level: `stores_in(table, "US", "NY", "NEW YORK")`."""
    return table.query(KeyConditionExpression=below(country, levels))["Items"]


def count_in(table, country, *levels):
    """Only how many: no item is sent, but they are read, and paid for, as before."""
    return table.query(KeyConditionExpression=below(country, levels), Select="COUNT")["Count"]


def without_separator(table, country, *levels):
    """The mistake, to see it: the prefix does not end where the level ends."""
    condition = Key("country").eq(country) & Key("place").begins_with(SEPARATOR.join(levels))
    return table.query(KeyConditionExpression=condition)["Items"]


def main(table):
    """Seven stores, asked for at each level."""
    for *place, name in STORES:
        add_store(table, *place, name=name)
    for levels in [("US",), ("US", "NY"), ("US", "NY", "NEW YORK")]:
        print(f"{' / '.join(levels)}: {count_in(table, *levels)} stores")
    print("In 10001:")
    for item in stores_in(table, "US", "NY", "NEW YORK", "10001"):
        print(f"  {item['place']:28}  {item['name']}")
    wrong = without_separator(table, "US", "NY", "NEW YORK")
    strangers = {item["name"] for item in wrong} - {
        item["name"] for item in stores_in(table, "US", "NY", "NEW YORK")
    }
    print("Without the last separator, New York also has:", ", ".join(strangers))


if __name__ == "__main__":
    with temporary_table("stores", KEY) as stores:
        main(stores)
