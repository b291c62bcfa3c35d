"""Vectors of a real model: of each search the candidates have the best by brute force."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import simsimd

from hashrange.model.table import Index, Vector
from hashrange.tables.opened.vector_entries import as_binary
from hashrange.tables.vectors.groups import Group, Packages
from hashrange.tables.vectors.scores import Search, query_of, rank, score

TOP = 10
NEAR = 100
"""So many of the best by sums of 64 bits are compared by exact scores."""
DIMENSIONS = 256


def matrix():
    """The vectors of 32,000 tokens; the package is not imported, which takes a second."""
    spec = importlib.util.find_spec("wordllama")
    folder = Path(spec.submodule_search_locations[0])
    data = (folder / "weights" / "l2_supercat_256.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    (described,) = (
        each for name, each in json.loads(data[8 : 8 + size]).items() if name != "__metadata__"
    )
    assert described["dtype"] == "F16", described
    return np.frombuffer(data, "<f2", offset=8 + size).reshape(-1, DIMENSIONS).astype("<f4")


@pytest.mark.long
def test_recall_on_vectors_of_a_model_is_complete():
    vectors = matrix()
    assert vectors.shape == (32_000, DIMENSIONS)
    exact = vectors.astype("f8")
    squares = np.einsum("ij,ij->i", exact, exact)
    packages = (Packages(np), Packages(np, simsimd))
    random = np.random.default_rng(38)
    for distance in ("COSINE", "DOT_PRODUCT", "EUCLIDEAN"):
        vector = Vector(attribute="v", dimensions=DIMENSIONS, distance=distance)
        index = Index(name="vix", number=1, partition=(), projection="ALL", vector=vector)
        groups = [Group(index, each) for each in packages]
        for first in range(0, len(vectors), 1000):
            entries = [
                (b"%05d" % place, {"v": as_binary(vectors[place].tobytes())})
                for place in range(first, first + 1000)
            ]
            for group in groups:
                group.put(entries)
        for token in random.integers(0, len(vectors), 20):
            # As the vector of a text: the mean of several tokens.
            numbers = vectors[[token, token // 2, token // 3]].mean(axis=0)
            search = Search(distance, query_of(numbers.astype(float).tolist()), {}, TOP)
            dots = exact @ numbers.astype("f8")
            with np.errstate(divide="ignore", invalid="ignore"):
                ranks = {
                    "COSINE": np.where(squares > 0, -dots / np.sqrt(squares), 0),
                    "DOT_PRODUCT": -dots,
                    "EUCLIDEAN": squares - 2 * dots,
                }[distance]
            best = sorted(
                (rank(distance, score(distance, search.query, vectors[place].tolist())), place)
                for place in np.argsort(ranks)[:NEAR].tolist()
            )
            found = [[each.key for each in group.candidates(search)] for group in groups]
            assert found[0] == found[1]
            assert {b"%05d" % place for _, place in best[:TOP]} <= set(found[0])
            assert len(found[0]) <= 3 * TOP
