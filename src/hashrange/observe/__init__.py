"""Counts, figures and logs of a server, without I/O except for the log stream itself.

Here: the counters of the hot path (`metrics`, `counts`, `traffic`, `hot_keys`), their text form
for Prometheus (`exposition`), what processes send each other (`report`) and what `hashrange top`
shows (`snapshot`, `rates`), and the format of log lines (`logs`). Not here: the pages over HTTP,
which are in `server.monitor`, and the request log, in `server.request_log`.

Begin with `metrics` for what is counted and `figures` for what is read at each scrape.
"""
