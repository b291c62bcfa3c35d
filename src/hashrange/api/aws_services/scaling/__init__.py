"""Application Auto Scaling for tables and indexes: its API, and what it does.

Here are the operations of the API, one module for each kind of object, their rows in the engine,
and the evaluation after each minute. The decisions are made in `hashrange.capacity.auto_scaling`
and `hashrange.capacity.schedules`; what policies must allow is in `backend`,
and the task that changes tables in `hashrange.background.scaler`. Begin with `rows`, then
`service`.
"""
