#!/usr/bin/env bash
# Installs steady, from the sources beside this file, into an environment of its own, and puts its
# command on the path of the steps that follow. Everything else comes by hash.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
environment=$RUNNER_TEMP/steady

if ! "$STEADY_PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "::error::steady needs Python 3.11 or newer; let actions/setup-python come before this step"
  exit 1
fi

"$STEADY_PYTHON" -m venv "$environment"
bin=$environment/bin
[[ -d $bin ]] || bin=$environment/Scripts # Windows

install() {
  "$bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$@"
}
# The build backend stands with the developers' tools; the distribution needs nothing else.
sed -n '/^flit-core==/,/^    # via/p' "$root/requirements-dev.txt" >"$environment/backend.txt"
install --require-hashes -r "$root/requirements.txt" -r "$environment/backend.txt"
install --no-deps --no-build-isolation "$root"

version=$("$bin/steady" --version)
echo "$bin" >>"$GITHUB_PATH"
echo "version=$version" >>"$GITHUB_OUTPUT"
