"""The settings of a server: where their values come from, and what a value may be.

`rows.py` is the table of all settings, `settings.py` has their values, and `sources.py` reads them
from options, variables of the environment and a file.
"""
