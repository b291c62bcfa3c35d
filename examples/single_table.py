"""Single-table design: entities that are read together share a partition, whatever their type.

A task board has workspaces, members, projects and tasks. Its pages want "the workspace with its
members and projects" or "the project with its tasks", and DynamoDB has no joins. So the join is
made when the data are written: what one page shows gets one partition key, and one Query reads
it. The keys are called pk and sk because they mean something else for each kind of item; so do
those of the one index, which serves two questions that have nothing to do with each other.

    item        pk                    sk              gsi1pk                   gsi1sk
    ---------   -------------------   -------------   ----------------------   --------------
    workspace   WORKSPACE#acme        INFO
    member      WORKSPACE#acme        MEMBER#ada      EMAIL#ada@example.com    MEMBER
    project     WORKSPACE#acme        PROJECT#web
    task        PROJECT#acme#web      TASK#0001       ASSIGNEE#acme#ada        DUE#2026-03-02

    access pattern                              request
    -----------------------------------------   -----------------------------------------------
    workspace with its members and projects     Query  pk = WORKSPACE#acme
    members of a workspace                      Query  pk = …, sk begins with MEMBER#
    project's tasks                             Query  pk = PROJECT#acme#web
    member by email                             Query  gsi1pk = EMAIL#…
    tasks of a member that are due              Query  gsi1pk = ASSIGNEE#…, gsi1sk <= DUE#<day>

The price: a new question may need a new index or a rewrite of the items, so the questions must be
known first. The prefixes keep kinds apart: `begins_with` can ask for one of them, and no member's
name can ever equal a project's. Each item says its `kind`, for those who read the whole
collection.
"""

from boto3.dynamodb.conditions import Key

from playground import temporary_table

KEY = ("pk", "sk")
INDEXES = {"gsi1": ("gsi1pk", "gsi1sk")}


def workspace_overview(table, workspace):
    """The workspace, its members and its projects: three kinds of item, one request."""
    found = table.query(KeyConditionExpression=Key("pk").eq(f"WORKSPACE#{workspace}"))
    return found["Items"]


def members(table, workspace):
    """Only the members: the same partition, a part of its sort keys."""
    found = table.query(
        KeyConditionExpression=Key("pk").eq(f"WORKSPACE#{workspace}")
        & Key("sk").begins_with("MEMBER#")
    )
    return found["Items"]


def tasks(table, workspace, project):
    """The tasks of a project, in the order of their numbers: they are padded with zeros."""
    found = table.query(KeyConditionExpression=Key("pk").eq(f"PROJECT#{workspace}#{project}"))
    return found["Items"]


def member_by_email(table, email):
    """The member with this address, or None. That there is only one, the index cannot promise."""
    found = table.query(IndexName="gsi1", KeyConditionExpression=Key("gsi1pk").eq(f"EMAIL#{email}"))
    return next(iter(found["Items"]), None)


def tasks_due(table, workspace, member, day):
    """What a member must finish by a day, the most urgent first."""
    found = table.query(
        IndexName="gsi1",
        KeyConditionExpression=Key("gsi1pk").eq(f"ASSIGNEE#{workspace}#{member}")
        & Key("gsi1sk").lte(f"DUE#{day}"),
    )
    return found["Items"]


def fill(table):
    """One workspace, as the application would have written it."""
    acme = "WORKSPACE#acme"
    with table.batch_writer() as batch:
        batch.put_item(Item={"pk": acme, "sk": "INFO", "kind": "workspace", "name": "Acme Ltd"})
        for login, name in {"ada": "Ada Byron", "grace": "Grace Murray"}.items():
            email = f"{login}@example.com"
            batch.put_item(
                Item={"pk": acme, "sk": f"MEMBER#{login}", "kind": "member", "name": name}
                | {"email": email, "gsi1pk": f"EMAIL#{email}", "gsi1sk": "MEMBER"}
            )
        for project, name in {"web": "New web site", "app": "Mobile app"}.items():
            batch.put_item(
                Item={"pk": acme, "sk": f"PROJECT#{project}", "kind": "project", "name": name}
            )
        for number, (project, title, login, due) in enumerate(
            [
                ("web", "Sketch the landing page", "ada", "2026-03-02"),
                ("web", "Move the DNS records", "grace", "2026-03-05"),
                ("app", "Fix the login on tablets", "ada", "2026-03-04"),
                ("web", "Translate the imprint", "ada", "2026-04-20"),
            ],
            start=1,
        ):
            batch.put_item(
                Item={"pk": f"PROJECT#acme#{project}", "sk": f"TASK#{number:04}", "kind": "task"}
                | {"title": title, "due": due}
                | {"gsi1pk": f"ASSIGNEE#acme#{login}", "gsi1sk": f"DUE#{due}"}
            )


def main(table):
    """Fill the table and ask each question."""
    fill(table)
    print("The workspace, one Query:")
    for item in workspace_overview(table, "acme"):
        print(f"  {item['kind']:9}  {item['sk']:13}  {item['name']}")
    print("Its members:", ", ".join(item["name"] for item in members(table, "acme")))
    print("Tasks of the web site:", [item["title"] for item in tasks(table, "acme", "web")])
    print("grace@example.com is", member_by_email(table, "grace@example.com")["name"])
    print("Ada, by the end of the week:")
    for item in tasks_due(table, "acme", "ada", "2026-03-06"):
        print(f"  {item['due']}  {item['title']}")


if __name__ == "__main__":
    with temporary_table("task-board", KEY, INDEXES) as task_board:
        main(task_board)
