#!/bin/sh
# The contract suite and the random histories on a PostgreSQL of their own. See README.md.
set -eu
cd "$(dirname "$0")/../.."
exec "${PYTHON:-python}" -m pytest -p spikes.postgres.rows -k "postgres and not longest_key" -q \
    tests/engines/test_contract.py tests/engines/test_counters_and_logs.py \
    tests/engines/test_concurrency.py tests/model/test_engine_histories.py "$@"
