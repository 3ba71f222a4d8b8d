#!/usr/bin/env bash
# Runs base and head in turn, by the plan where there is one, or everything once; and says where the
# results are. It works with the bash 3.2 of macOS, and with the one that Git brings along on
# Windows, which takes a value that begins with a slash for a path: never one of --only.
set -euo pipefail
export MSYS2_ARG_CONV_EXCL=--only=
unset INPUT_TOKEN # runners that are built on act hand it to every step

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

# The words of the command, as quotes and blanks part them; nothing in them is expanded.
if [[ -n ${STEADY_RUN-} ]]; then
  words=$(xargs -n1 printf '%s\n' <<<"$STEADY_RUN")
  arguments+=(--)
  while IFS= read -r word; do arguments+=("$word"); done <<<"$words"
fi

# Exit code 1 says that a benchmark left no result; the comparison, or the plan, tells which.
steady "${arguments[@]}" || test $? -eq 1

# A version without any result has no file; the comparison knows what that means.
suffix=json
[[ -n ${STEADY_RUN-} || ! -d $STEADY_HEAD && $STEADY_HEAD != *.test && $STEADY_HEAD != *.test.exe ]] || suffix=txt
for name in base head results; do
  echo "$name=$STEADY_OUT/$name.$suffix" >>"$GITHUB_OUTPUT"
done
# Those who plan want JMH's jar too, to say what its annotations become. A program is no jar.
if [[ -n ${STEADY_FULL-} && -f $STEADY_HEAD && $(head -c 2 "$STEADY_HEAD") == PK ]]; then
  cp "$STEADY_HEAD" "$STEADY_OUT/benchmarks.jar"
fi
