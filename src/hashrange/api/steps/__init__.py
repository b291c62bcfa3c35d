"""The steps of a request, from a decoded structure to an answer, and what all operations share.

`operation` says what an operation is: its row. `pipeline` has the steps in their order: check,
allow, tables, fit, admit, run, charge. `accesses` and `namespaces` serve the step "allow",
`table_lookup` the step "tables"; `request_shapes` derives the keys of caches; `storage_faults`
turns faults of engines into DynamoDB's. No verb of the API is here.
"""
