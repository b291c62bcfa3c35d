"""Adjacency list: a many-to-many relation, queried from both sides with an inverted index.

Students take courses; courses have students. A relational database keeps a third table and joins
twice. Here each node is an item, each edge is an item in the partition of its source, and an
index with the two keys swapped turns every edge around.

    item        pk              sk              attributes
    ---------   -------------   -------------   ------------------------------------
    student     STUDENT#1815    STUDENT#1815    name
    course      COURSE#CS101    COURSE#CS101    title
    enrolment   STUDENT#1815    COURSE#CS101    name, title, term, grade

    index `inverted`: partition key sk, sort key pk

    access pattern                      request
    ---------------------------------   ------------------------------------------
    student with all courses            Query  pk = STUDENT#…
    course with all students            Query  inverted, sk = COURSE#…
    is this student in this course?     GetItem  pk = STUDENT#…, sk = COURSE#…

The student's own item has its own key in both places, so it lies in its partition of the table,
and the course's in its partition of the index: the header comes with the list. The edge carries a
copy of what both lists show (name and title); otherwise each line of a list would cost one more
read. Copies are for what seldom changes: to rename a course is one write for each student in it.
"""

from boto3.dynamodb.conditions import Attr, Key

from playground import temporary_table

KEY = ("pk", "sk")
INDEXES = {"inverted": ("sk", "pk")}


def add_student(table, number, name):
    """A node: both keys are its own."""
    table.put_item(Item={"pk": f"STUDENT#{number}", "sk": f"STUDENT#{number}", "name": name})


def add_course(table, code, title):
    """A node of the other type."""
    table.put_item(Item={"pk": f"COURSE#{code}", "sk": f"COURSE#{code}", "title": title})


def enrol(table, student, course, term):
    """An edge, with copies of what the lists show; False if it is there already."""
    key = {"pk": student["pk"], "sk": course["sk"]}
    copies = {"name": student["name"], "title": course["title"], "term": term}
    try:
        table.put_item(Item=key | copies, ConditionExpression=Attr("pk").not_exists())
    except table.meta.client.exceptions.ConditionalCheckFailedException:
        return False
    return True


def node(table, name):
    """A student or a course by its key, or None."""
    return table.get_item(Key={"pk": name, "sk": name}).get("Item")


def courses_of(table, number):
    """The student, and the enrolments: one Query on the table."""
    found = table.query(KeyConditionExpression=Key("pk").eq(f"STUDENT#{number}"))["Items"]
    return _split(found)


def students_of(table, code):
    """The course, and the enrolments: one Query on the index."""
    found = table.query(IndexName="inverted", KeyConditionExpression=Key("sk").eq(f"COURSE#{code}"))
    return _split(found["Items"])


def _split(items):
    """The node that the collection is of, and the edges."""
    (header,) = (item for item in items if item["pk"] == item["sk"])
    return header, [item for item in items if item is not header]


def grade(table, number, code, mark):
    """An attribute of the edge: it belongs to neither the student nor the course."""
    table.update_item(
        Key={"pk": f"STUDENT#{number}", "sk": f"COURSE#{code}"},
        UpdateExpression="SET grade = :mark",
        ConditionExpression=Attr("pk").exists(),
        ExpressionAttributeValues={":mark": mark},
    )


def rename_course(table, code, title):
    """The price of copies: the node and each edge. Gives the number of writes."""
    course, enrolments = students_of(table, code)
    for item in [course, *enrolments]:
        table.update_item(
            Key={"pk": item["pk"], "sk": item["sk"]},
            UpdateExpression="SET title = :title",
            ConditionExpression=Attr("pk").exists(),
            ExpressionAttributeValues={":title": title},
        )
    return 1 + len(enrolments)


def main(table):
    """Two students, two courses, three enrolments, seen from both sides."""
    add_student(table, 1815, "Ada Byron")
    add_student(table, 1906, "Grace Murray")
    add_course(table, "CS101", "Introduction to Programming")
    add_course(table, "MA201", "Linear Algebra")
    for student, course in [
        ("STUDENT#1815", "COURSE#CS101"),
        ("STUDENT#1815", "COURSE#MA201"),
        ("STUDENT#1906", "COURSE#CS101"),
    ]:
        enrol(table, node(table, student), node(table, course), "2026 autumn")
    ada, programming = node(table, "STUDENT#1815"), node(table, "COURSE#CS101")
    print("Ada enrols once more:", enrol(table, ada, programming, "2026 autumn"))
    grade(table, 1815, "CS101", "A")

    student, enrolments = courses_of(table, 1815)
    print(f"{student['name']} takes:")
    for item in enrolments:
        print(f"  {item['title']:28}  {item.get('grade', '-')}")
    print("Renaming CS101 takes", rename_course(table, "CS101", "Programming I"), "writes")
    course, enrolments = students_of(table, "CS101")
    print(f"{course['title']} is taken by:", ", ".join(item["name"] for item in enrolments))


if __name__ == "__main__":
    with temporary_table("university", KEY, INDEXES) as university:
        main(university)
