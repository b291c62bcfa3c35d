"""Trials of the engine contract, for any database (`hashrange verify-engine`) and for tests.

The contract itself is in `storage.engine`. Every public function of the modules listed in `trials`
tries one promise of it; `histories` and `load` try random operations of concurrent clients. Each
trial gets a `Subject`, an engine wrapped in `ContractEngine`, which checks every call. Begin with
`examination`.
"""
