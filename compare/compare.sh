#!/usr/bin/env bash
# Compares the results and comments: mode `compare` of the Action, run by the Python environment of
# setup/install.sh. -I: nothing is imported from the workspace, and PYTHON... variables are ignored.
# Git's bash on Windows converts variables that begin with a slash to paths, except this pattern.
set -euo pipefail
export MSYS2_ENV_CONV_EXCL=INPUT_ONLY

# Runners based on act pass the inputs of the composite action to its steps, as if they were inputs of
# the Action. Remove all of them except the token.
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
