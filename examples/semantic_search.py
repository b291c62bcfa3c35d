"""Semantic search: answers to questions by what they mean, with a vector index.

The manual of a coffee machine has short passages, and its owner asks in other words than the
manual has. A model turns a text into a vector, so that texts of similar meaning have vectors of
similar direction; a vector index finds the nearest ones. The vector is an attribute of the item,
so a passage and its vector change, expire and are deleted together.

    item        pk              attributes
    ---------   -------------   ------------------------------------
    passage     P-03            section, text, embedding (256 numbers)

    vector index `by-meaning`: embedding, COSINE, filtered by section

    access pattern                          request
    -------------------------------------   ------------------------------------------
    what answers this question?             SearchVectors
    … in one section of the manual?         SearchVectors  section = …
    what is similar to this passage?        GetItem, SearchVectors with its vector
    the best passages as text for a model   SearchVectors, one after the other

The model is WordLlama: 16 MB, without network or GPU (`pip install wordllama`). Any other model
will do: the index needs to know how many numbers its vectors have.
"""

from decimal import Decimal
from functools import cache
from pathlib import Path

import wordllama

from playground import temporary_table

KEY = ("pk",)
INDEX = "by-meaning"
VECTOR_INDEXES = [
    {
        "IndexName": INDEX,
        "VectorAttribute": {"AttributeName": "embedding"},
        "Dimensions": 256,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "ALL"},
        "SearchSchema": [{"AttributeName": "section", "SearchSchemaElementType": "INLINE_FILTER"}],
    }
]

MANUAL = {
    "care": [
        "Descale the boiler every two months to remove limestone.",
        "Rinse the milk frother with clean water after each use.",
        "Wipe the housing with a damp cloth; never put it under running water.",
        "Empty the tray of used coffee grounds before it overflows.",
    ],
    "brewing": [
        "For a stronger espresso choose a finer grind and more beans.",
        "The cup warmer on top heats up within five minutes.",
        "Fill the tank with cold fresh water up to the mark.",
        "Press both buttons to brew two cups at the same time.",
    ],
    "trouble": [
        "If the pump is loud, the tank is empty or air is in the hose.",
        "A blinking red light means that the machine is overheated: let it cool down.",
        "When no steam comes out, the nozzle is blocked; open it with a needle.",
        "The warranty covers repairs for two years from the day of purchase.",
    ],
}


@cache
def model():
    """The model, whose files are all in its package."""
    files = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=files, disable_download=True)


def embedding(text):
    """The vector of a text, as boto3 takes numbers; more digits than these change nothing."""
    return [Decimal(f"{number:.6f}") for number in model().embed(text, norm=True)[0].tolist()]


def add(table, number, section, text):
    """A passage, with its vector."""
    passage = {"pk": f"P-{number:02}", "section": section, "text": text}
    table.put_item(Item=passage | {"embedding": embedding(text)})


def nearest(table, vector, count, section=None):
    """The passages nearest to a vector, of one section if it is given: (distance, passage)."""
    only = {}
    if section is not None:
        only = {
            "SearchConditionExpression": "#s = :s",
            "ExpressionAttributeNames": {"#s": "section"},
            "ExpressionAttributeValues": {":s": section},
        }
    answer = table.meta.client.search_vectors(
        TableName=table.name, IndexName=INDEX, SearchVector=vector, TopK=count, **only
    )
    return [(result["Score"], result["Item"]) for result in answer["SearchResults"]]


def ask(table, question, section=None):
    """The passage that answers a question best."""
    ((_, passage),) = nearest(table, embedding(question), 1, section)
    return passage["text"]


def similar(table, key):
    """The passage that is most similar to another one: the nearest one is that one itself."""
    vector = table.get_item(Key={"pk": key})["Item"]["embedding"]
    _, (_, passage) = nearest(table, vector, 2)
    return passage["text"]


def context(table, question, chars_max):
    """The best passages with so many characters in all: what a chat model is given to read."""
    chosen = []
    for _, passage in nearest(table, embedding(question), 10):
        if sum(map(len, chosen)) + len(passage["text"]) > chars_max:
            break
        chosen.append(passage["text"])
    return chosen


def main(table):
    """Twelve passages, and questions in other words."""
    texts = [(section, text) for section, texts in MANUAL.items() for text in texts]
    for number, (section, text) in enumerate(texts, 1):
        add(table, number, section, text)
    for question in (
        "How do I get rid of chalk deposits?",
        "The taste is not strong enough",
        "Why is a lamp flashing?",
        "How long do I have a guarantee?",
    ):
        print(f"{question}\n  {ask(table, question)}")
    question = "Can I wash it in the sink?"
    print(f"{question} (care)\n  {ask(table, question, 'care')}")
    print(f"Similar to P-02:\n  {similar(table, 'P-02')}")
    print(f"To read: {len(context(table, 'How do I clean it?', 200))} passages")

    table.delete_item(Key={"pk": "P-01"})
    print(f"Without P-01:\n  {ask(table, 'How do I get rid of chalk deposits?')}")


if __name__ == "__main__":
    with temporary_table("manual", KEY, vector_indexes=VECTOR_INDEXES) as manual:
        main(manual)
