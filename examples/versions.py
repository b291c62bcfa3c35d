"""Versions with a latest pointer: the newest version in one read, all others stored.

A company publishes its terms of service. Everybody reads the newest; a few must see those of last
year, and none may ever change after it was published. Each version is an item that is never
written again, and LATEST is an item that says which is the newest; it carries a copy of it, so
that the usual read is one GetItem.

    item      pk           sk          attributes
    -------   ----------   ---------   ----------------------
    latest    DOC#terms    LATEST      version, text, author
    version   DOC#terms    V#000001    version, text, author
    version   DOC#terms    V#000002    version, text, author

    access pattern           request
    ----------------------   ------------------------------------------------------------------
    the newest               GetItem  sk = LATEST
    one version              GetItem  sk = V#000002
    history, newest first    Query    sk begins with V#, backwards
    publish                  TransactWriteItems: Put V#n+1 if absent, Put LATEST if version = n

The two conditions hold it together: no version is ever overwritten, and of two authors who began
from the same version the second is told so, and looks at what the first wrote.

One could do without LATEST and query backwards with Limit 1. The pointer earns its place where
many documents are read at once, for BatchGetItem knows keys and no "newest", and where the newest
is not the one in force: a draft.

Numbers in keys are padded: as text, V#10 would come before V#9. Of large documents keep only the
number in LATEST, or each version is written twice.
"""

from boto3.dynamodb.conditions import Key

from playground import in_parallel, temporary_table, transact

KEY = ("pk", "sk")


def version_key(document, version):
    """The key of one version."""
    return {"pk": f"DOC#{document}", "sk": f"V#{version:06}"}


def latest_key(document):
    """The key of the pointer."""
    return {"pk": f"DOC#{document}", "sk": "LATEST"}


def latest(table, document):
    """The newest version; before the first there is version 0."""
    found = table.get_item(Key=latest_key(document), ConsistentRead=True)
    return found.get("Item", {"version": 0})


def one_version(table, document, version):
    """A version as it was published, or None."""
    return table.get_item(Key=version_key(document, version)).get("Item")


def history(table, document, limit=10):
    """The versions, the newest first."""
    found = table.query(
        KeyConditionExpression=Key("pk").eq(f"DOC#{document}") & Key("sk").begins_with("V#"),
        ScanIndexForward=False,
        Limit=limit,
    )
    return found["Items"]


def publish(table, document, base, *, text, author):
    """Publishes what was made from version `base`; None if another was published meanwhile."""
    content = {"version": base + 1, "text": text, "author": author}
    version = {
        "Item": version_key(document, base + 1) | content,
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    pointer = {"Item": latest_key(document) | content}
    if base:
        pointer["ConditionExpression"] = "version = :base"
        pointer["ExpressionAttributeValues"] = {":base": base}
    else:
        pointer["ConditionExpression"] = "attribute_not_exists(pk)"
    refused = transact(table, {"Put": version}, {"Put": pointer})
    return None if refused else base + 1


def restore(table, document, version, author):
    """An old version becomes the newest again, as a version of its own: history only grows."""
    old = one_version(table, document, version)
    newest = int(latest(table, document)["version"])
    return publish(table, document, newest, text=old["text"], author=author)


def main(table):
    """Three versions, a restoration, and two authors at once."""
    publish(table, "terms", 0, text="Returns within 14 days.", author="ada")
    publish(table, "terms", 1, text="Returns within 30 days.", author="ada")
    publish(table, "terms", 2, text="Returns within 30 hours.", author="ben")
    print("The newest:", latest(table, "terms")["text"])
    print("Restored as version", restore(table, "terms", 2, "ada"))

    def author(own, number):
        text = f"Returns within {60 + number} days."
        return publish(own, "terms", 4, text=text, author=f"author {number}")

    published = [version for version in in_parallel(table, 6, author) if version]
    assert published == [5], "two versions were made from one"
    print("Six authors publish what they made from version 4: one did, as version 5")
    print("History:")
    versions = history(table, "terms")
    for item in versions:
        print(f"  {item['sk']}  {item['text']}")
    newest = latest(table, "terms")
    assert versions[0]["text"] == newest["text"], "the pointer points elsewhere"


if __name__ == "__main__":
    with temporary_table("documents", KEY) as documents:
        main(documents)
