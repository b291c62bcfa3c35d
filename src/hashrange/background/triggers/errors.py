"""The error of the operator's file of triggers, which servers without triggers import as well."""


class TriggerError(ValueError):
    """The file is invalid or cannot be read. The text is one line for the operator."""
