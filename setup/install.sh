#!/usr/bin/env bash
# Installs steady from the sources next to this file into a separate environment, and adds its command
# to the path of later steps. Dependencies are pinned by hash.
# -I: nothing is imported from the workspace, which may contain an untrusted pull request. Processes
# that Python starts inherit the environment variables, which have the same effect.
set -euo pipefail

unset PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE
export PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
environment=$RUNNER_TEMP/steady

new_enough() {
  "$1" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

# The name on Windows is python.
[[ $STEADY_PYTHON != python3 ]] || new_enough python3 || STEADY_PYTHON=python
if ! new_enough "$STEADY_PYTHON"; then
  echo "::error::steady requires Python 3.11 or later; run actions/setup-python before this step"
  exit 1
fi

"$STEADY_PYTHON" -I -m venv "$environment"
bin=$environment/bin
[[ -d $bin ]] || bin=$environment/Scripts # Windows

# Python compiles imported modules on demand; pip would compile all, which takes longest.
install() {
  "$bin/python" -I -m pip install --quiet --disable-pip-version-check --no-compile \
    --only-binary :all: "$@"
}
# The build backend is pinned with the developers' tools; the distribution needs nothing else.
sed -n '/^flit-core==/,/^    # via/p' "$root/requirements-dev.txt" >"$environment/backend.txt"
install --require-hashes -r "$root/requirements.txt" -r "$environment/backend.txt"
install --no-deps --no-build-isolation "$root"

version=$("$bin/steady" --version)
version=${version%$'\r'}
echo "$bin" >>"$GITHUB_PATH"
echo "version=$version" >>"$GITHUB_OUTPUT"
