"""Why a data file cannot be opened, for people."""

import apsw


def reason_of(error: apsw.Error | OSError) -> str:
    """The reason that an error of SQLite or of the system stands for."""
    match error:
        case apsw.NotADBError():
            return f"damaged, or not a database ({error})"
        case apsw.CorruptError():
            return f"damaged ({error})"
        case apsw.BusyError() | apsw.LockedError():
            return f"in use by another program ({error})"
        case apsw.FullError():
            return f"the disk is full ({error})"
        case _:
            return str(error)
