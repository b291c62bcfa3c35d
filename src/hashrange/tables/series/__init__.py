"""Time series of metrics, as the engine keeps them.

A sample is stored once, at the finest resolution of its age: seconds for three hours, minutes for
15 days, five minutes for 63 days, hours for 455 days. Samples of one metric, unit and period are
merged when they are written, so that those of all processes and servers are one. `samples` has the
rows, `store` reads and writes them, `rollup` moves old ones to the next resolution. The keys are
`tables.keys.metric_keys`; what is recorded is decided elsewhere.
"""
