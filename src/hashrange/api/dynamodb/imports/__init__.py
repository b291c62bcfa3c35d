"""Imports of tables, and bulk operations on them: the operations of the API.

Begin with `import_table` and `start_bulk_put`: they check a request and store the description of a
job, with the table for an import. `existing_imports` and `existing_bulk_operations` describe, list
and cancel; `listing` has the pages of lists. The work is done in the background
(`background.import_jobs`, `background.bulk_jobs`), with what is in the package `imports`.
"""
