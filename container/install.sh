#!/bin/sh
# Installs hashrange from the source in $1, with the extras in $3, into the folder $2: from wheels only,
# so that no compiler is needed and every architecture gets what was built and tested for it.
set -eu

source=$1
target=$2
extras=$3

python -m venv --without-pip "$target"
python -m pip --python "$target/bin/python" install --quiet --no-cache-dir \
  --disable-pip-version-check --only-binary ":all:" --no-binary hashrange "$source${extras:+[$extras]}"

# What is of no use to a server.
find "$target" -type d -name tests -prune -exec rm -rf {} +
find "$target" -type d -name sqlite_extra_binaries -prune -exec rm -rf {} +
find "$target" \( -name '*.pyi' -o -name '*.pyx' -o -name '*.px[di]' \) -delete
