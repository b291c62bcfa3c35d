"""Alarms as rows of the engine, with their states, their history, and the actions that wait.

`rows` has the rows, `store` reads and writes them. A change of an alarm is one write: the alarm,
the items of its history, and the actions that are to be done. `transitions` makes such changes of
states, `documents` the JSON of histories and notifications, `suppression` decides when actions of a
composite alarm wait: all pure. Who evaluates alarms, and does their actions, is
`background.alarm_evaluator` and `background.alarm_actions`.
"""
