"""The API's verbs: one module and one row an operation."""
