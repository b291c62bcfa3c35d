"""The audit log: which principal did what, in CloudTrail's record format, in a hash chain.

Records are built from requests as they were sent and answered: `events` has the record,
`parameters` and `statements` what of a request may stand in it. `chain` links records, `writer`
writes them in a thread of its own, `anchors` keeps the heads of chains in the engine, `trail` puts
it all behind the server. `reading`, `selection`, `anomalies`, `verification` and `lookup` read.

Not here: the log of the server (`observe.logs`), and who may do what (`policies`). Begin with
`trail`.
"""
