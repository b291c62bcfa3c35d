"""Keys of encryption at rest: the master key, its forms and its sources. No files of an engine.

Keys stand in two levels: an engine encrypts its data with a random data key, and stores that key
encrypted with the master key, which the operator keeps. Begin with `master_key`; `sources` reads
master keys from files, settings and commands. The key file of a data directory is in
`hashrange.storage.sqlite.key_file`.
"""
