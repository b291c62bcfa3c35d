"""What every client of DAX sees: `python/program.py` says what the steps do."""

INVALID = "One or more parameter values were invalid: "
SEEN = {
    "items": {
        "same": True,
        "missing": True,
        "part": ["ü", "deep", ""],
        "updated": ["7.5", "2", "1"],
        "nested": [["o"], "9"],
        "old": ["kinds", "1", False],
    },
    "pages": {
        "between": ["5", "3"],
        "counts": [2, 6],
        "units": 0.5,
        "index": [["0", "2"], ["4", "6"], ["8"]],
        "scan": [4, 4, 2],
        "count": 10,
    },
    "batches": {"unprocessed": 0, "sum": 300, "found": [24, ["odd"]]},
    "transactions": {"got": ["1", "2", None], "reasons": ["ConditionalCheckFailed", "None"]},
    "refusals": {
        "condition": ["ConditionalCheckFailedException", "The conditional request failed"],
        "table": "ResourceNotFoundException",
        "update": [
            "ValidationException",
            INVALID + "Cannot update attribute pk. This attribute is part of the key",
        ],
    },
}
