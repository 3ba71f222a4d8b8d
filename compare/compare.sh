#!/usr/bin/env bash
# Judges what was measured, and comments: the Action's mode `compare`, run by the Python that
# setup/install.sh made. -I: nothing of the workspace is imported, and no PYTHON... variable counts.
# The bash of Windows takes a variable that begins with a slash for a path: not a pattern.
set -euo pipefail
export MSYS2_ENV_CONV_EXCL=INPUT_ONLY

# Runners that are built on act hand what the composite action was given on to its steps, as if it
# were the Action's own: all but the token is taken away again.
foreign=()
while IFS= read -r name; do
  [[ $name == INPUT_TOKEN ]] || foreign+=(-u "$name")
done < <(env | sed -n 's/^\(INPUT_[^=]*\)=.*/\1/p')

inputs=(
  "INPUT_MODE=compare"
  "INPUT_MEASURED=here"
  "INPUT_ONLY=${STEADY_ONLY-}"
  "INPUT_BASE=$STEADY_BASE"
  "INPUT_HEAD=$STEADY_HEAD"
  "INPUT_BASE-COMMIT=${STEADY_BASE_COMMIT-}"
  "INPUT_PLAN=$STEADY_PLAN"
  "INPUT_OUT=$STEADY_OUT/report"
  "INPUT_KEY=$STEADY_KEY"
  "INPUT_COMMENT=$STEADY_COMMENT"
  "INPUT_FAIL-ON=$STEADY_FAIL_ON"
)
python=$(dirname "$(command -v steady)")/python
exec env ${foreign[@]+"${foreign[@]}"} "${inputs[@]}" "$python" -IB -X utf8 -m steady.action
