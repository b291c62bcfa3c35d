"""CloudWatch: metrics of the tables and of programs, their statistics and metric math.

`service` has the row of the service, a module the operations of each subject. `statistics` computes
a statistic of a set of values, `expressions` reads metric math, `series_math` computes it, `search`
finds metrics: all pure. `reading` reads values of periods from `tables.series`. Begin with
`service`, then `metrics`.
"""
