#!/usr/bin/env bash
# Judges what was measured, and comments: the Action's mode `compare`, run by the Python that
# setup/install.sh made. -I: nothing of the workspace is imported, and no PYTHON... variable counts.
set -euo pipefail

inputs=(
  "INPUT_MODE=compare"
  "INPUT_BASE=$STEADY_BASE"
  "INPUT_HEAD=$STEADY_HEAD"
  "INPUT_BASE-COMMIT=${STEADY_BASE_COMMIT-}"
  "INPUT_PLAN=$STEADY_PLAN"
  "INPUT_OUT=$STEADY_OUT/report"
  "INPUT_KEY=$STEADY_KEY"
  "INPUT_COMMENT=$STEADY_COMMENT"
  "INPUT_FAIL-ON=$STEADY_FAIL_ON"
  "INPUT_CHECK=$STEADY_CHECK"
)
python=$(dirname "$(command -v steady)")/python
exec env "${inputs[@]}" "$python" -IB -X utf8 -m steady.action
