"""The command line `hashrange`: one module for each command, with options, output and exit codes.

Not here: the work of a command, which is in `assemble` and `workers` (serve), `copying` (copy,
load, dump), `engine_trials` (verify-engine), `tables.verifying.verify` (verify) and `observe`
(top).

Exit codes are 0 for success, 1 for a failure, 2 for arguments that cannot be used; an error is one
line on stderr. Begin with `commands`, which has the list of the commands and the main function.
"""
