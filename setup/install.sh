#!/usr/bin/env bash
# Installs steady, from the sources beside this file, into an environment of its own, and puts its
# command on the path of the steps that follow. Everything else comes by hash.
# -I: nothing of the workspace, which may be a stranger's pull request, is ever imported. What
# Python starts in turn inherits the environment instead, so that says the same.
set -euo pipefail

unset PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE
export PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
environment=$RUNNER_TEMP/steady

new_enough() {
  "$1" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

# Windows calls it python.
[[ $STEADY_PYTHON != python3 ]] || new_enough python3 || STEADY_PYTHON=python
if ! new_enough "$STEADY_PYTHON"; then
  echo "::error::steady needs Python 3.11 or newer; let actions/setup-python come before this step"
  exit 1
fi

"$STEADY_PYTHON" -I -m venv "$environment"
bin=$environment/bin
[[ -d $bin ]] || bin=$environment/Scripts # Windows

# Python compiles what is imported; pip would compile all, for longer than the rest takes.
install() {
  "$bin/python" -I -m pip install --quiet --disable-pip-version-check --no-compile \
    --only-binary :all: "$@"
}
# The build backend stands with the developers' tools; the distribution needs nothing else.
sed -n '/^flit-core==/,/^    # via/p' "$root/requirements-dev.txt" >"$environment/backend.txt"
install --require-hashes -r "$root/requirements.txt" -r "$environment/backend.txt"
install --no-deps --no-build-isolation "$root"

version=$("$bin/steady" --version)
version=${version%$'\r'}
echo "$bin" >>"$GITHUB_PATH"
echo "version=$version" >>"$GITHUB_OUTPUT"
