"""What each SDK sees of the same searches: its program has the steps."""

TABLE = ["by-place", 2, "EUCLIDEAN"]
FOUND = [["a", 0], ["c", 10]]
REFUSED = "ValidationException"
