#!/usr/bin/env bash
# Runs base and head, interleaved, according to the plan if there is one; or makes a full run. Outputs
# the paths of the results. Supports bash 3.2 (macOS) and Git's bash on Windows, which converts values
# that begin with a slash to paths, except those of --only.
set -euo pipefail
export MSYS2_ARG_CONV_EXCL=--only=
unset INPUT_TOKEN # runners based on act pass it to every step

arguments=(run --out "$STEADY_OUT")
[[ -z $STEADY_ONLY ]] || arguments+=(--only="$STEADY_ONLY")
[[ -z ${STEADY_SHARD-} ]] || arguments+=(--shard "$STEADY_SHARD")
if [[ -n ${STEADY_FULL-} ]]; then
  arguments+=(--full "$STEADY_FULL" --jar "$STEADY_HEAD")
  [[ -z $STEADY_ITERATION_SECONDS ]] || arguments+=(--iteration-seconds "$STEADY_ITERATION_SECONDS")
else
  arguments+=(--base "$STEADY_BASE" --head "$STEADY_HEAD")
  plan=$STEADY_PLAN
  [[ -n $plan || ! -f $STEADY_FOLDER/.steady/plan.json ]] || plan=$STEADY_FOLDER/.steady
  [[ ! -d $plan ]] || plan=$plan/plan.json
  if [[ -n $plan ]]; then
    arguments+=(--plan "$plan")
    [[ $plan == *[[:cntrl:]]* ]] || echo "plan=$plan" >>"$GITHUB_OUTPUT"
  else
    STEADY_TIME_BUDGET=${STEADY_TIME_BUDGET:-10m}
  fi
  [[ -z $STEADY_TIME_BUDGET ]] || arguments+=(--time-budget "$STEADY_TIME_BUDGET")
fi

# The words of the command, split at blanks outside quotes, without any expansion.
if [[ -n ${STEADY_RUN-} ]]; then
  words=$(xargs -n1 printf '%s\n' <<<"$STEADY_RUN")
  arguments+=(--)
  while IFS= read -r word; do arguments+=("$word"); done <<<"$words"
fi

# Exit code 1 means that a benchmark produced no result; the comparison or the plan reports it.
steady "${arguments[@]}" || test $? -eq 1

# A version without results has no file; the comparison handles this case.
suffix=json
[[ -n ${STEADY_RUN-} || ! -d $STEADY_HEAD && $STEADY_HEAD != *.test && $STEADY_HEAD != *.test.exe ]] || suffix=txt
for name in base head results; do
  echo "$name=$STEADY_OUT/$name.$suffix" >>"$GITHUB_OUTPUT"
done
# Planning also needs JMH's jar, for its annotations. Programs of other harnesses are not copied.
if [[ -n ${STEADY_FULL-} && -f $STEADY_HEAD && $(head -c 2 "$STEADY_HEAD") == PK ]]; then
  cp "$STEADY_HEAD" "$STEADY_OUT/benchmarks.jar"
fi
