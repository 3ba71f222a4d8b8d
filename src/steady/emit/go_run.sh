#!/bin/sh
# Runs the benchmarks of the plan beside this file, each with its own configuration.
#
#   sh run.sh MODULE RESULTS [BUILD FLAG]...
#
# builds the test binaries of the Go module in the folder MODULE (go test -c, with the flags that
# are given), runs each in the folder of its package, and leaves in the folder RESULTS
#   results.txt       what was measured, in Go's own format: benchstat reads it
#   results.log       all that Go printed
# and ends with 0 if every benchmark of the plan left all its results, 1 if not, 2 if it could not
# start.
#
# It needs go and a POSIX shell. Written by steady; made anew with each plan.
# shellcheck disable=SC2016 # what stands in a name is only text
set -uf

# build NUMBER PACKAGE [FLAG]...
builds() {
# @builds@
}

# measure PACKAGE'S-NUMBER PROCESSES WARM-UP-ITERATIONS ITERATIONS BENCHTIME PROCESSORS PATTERN
runs() {
# @runs@
}

# ITERATIONS PACKAGE BENCHMARK
expected() {
  cat <<'STEADY_EXPECTED'
# @expected@
STEADY_EXPECTED
}

say() {
  printf 'steady: %s\n' "$*" >&2
}

die() {
  say "$*"
  exit 2
}

build() {
  number=$1 package=$2
  shift 2
  [ -z "$stopped" ] || return 0
  say "building $package"
  (
    cd -- "$module" || exit
    go list -f '{{.Dir}}' "$package" >"$scratch/$number.folder" || exit
    go test -c -o "$scratch/$number.test" "$@" "$package"
  ) >"$scratch/output" 2>&1 || say "$package cannot be built; $results/results.log says why"
  cat "$scratch/output" >>"$results/results.log"
}

# One process; in every round anew, until there were enough of them.
measure() {
  [ "$round" -le "$2" ] && [ -z "$stopped" ] && [ -x "$scratch/$1.test" ] || return 0
  (
    cd -- "$(cat "$scratch/$1.folder")" || exit
    exec "$scratch/$1.test" '-test.run=^$' "-test.bench=$7" "-test.benchtime=$5" \
      "-test.count=$(($3 + $4))" "-test.cpu=$6" -test.benchmem
  ) </dev/null >"$scratch/output" 2>&1 &
  process=$!
  status=0
  wait "$process" || status=$?
  while kill -0 "$process" 2>/dev/null; do
    wait "$process" || status=$?
  done
  process=
  tee -a "$results/results.log" <"$scratch/output"
  [ -z "$stopped" ] || return 0
  [ "$status" -eq 0 ] || say "the process ended with $status"
  {
    echo "# steady process benchtime=$5 cpu=$6 forks=$2"
    marked "$3" <"$scratch/output"
  } >>"$results/results.txt" || die "$results/results.txt cannot be written"
}

# Turns the results of warm-up iterations into comments, and puts together what a benchmark's own
# prints have torn apart: its name and its result.
marked() {
  awk -v warmup="$1" '
    function result(name, rest) {
      print (++seen[name] <= warmup ? "# steady warm-up: " : "") name "\t" rest
      waiting = ""
    }
    /^Benchmark[^ \t]*[ \t]+[0-9]+\t/ {
      rest = $0
      sub(/^[^ \t]+[ \t]+/, "", rest)
      result($1, rest)
      next
    }
    /^Benchmark/ { waiting = $1 }
    waiting != "" && match($0, /[0-9]+\t *[0-9.]+ [^ \t]/) { result(waiting, substr($0, RSTART)); next }
    { print }
  '
}

# shellcheck disable=SC2317 # the trap calls it
stop() {
  stopped=1
  say "stopping; what was measured so far is kept"
  [ -z "$process" ] || kill "$process" 2>/dev/null
}

# What is expected and not, or not wholly, in the results.
missing() {
  expected >"$scratch/expected"
  awk '
    side == 1 && $1 == "pkg:" { package = $2 }
    side == 1 && /^Benchmark/ && $2 ~ /^[0-9]+$/ { found[package, $1]++ }
    side == 2 && found[$2, $3] < $1 { print $2 "." $3 ": " (found[$2, $3] + 0) " of " $1 " results" }
  ' side=1 "$results/results.txt" side=2 "$scratch/expected"
}

[ $# -ge 2 ] || die "usage: sh run.sh MODULE RESULTS [BUILD FLAG]..."
module=$1 results=$2
shift 2
[ -f "$module/go.mod" ] || [ -f "$module/go.work" ] || die "there is no go.mod in $module"
command -v go >/dev/null || die "go is not on the PATH"
module=$(CDPATH='' cd -- "$module" && pwd)
mkdir -p -- "$results" || die "the folder $results cannot be made"
results=$(CDPATH='' cd -- "$results" && pwd)
scratch=$results/.steady.$$
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch" || die "the folder $results cannot be written"
rm -f "$results/results.txt" "$results/results.log"
round=0 stopped='' process=''
trap stop HUP INT TERM

builds "$@"
rounds=1
while [ "$round" -lt "$rounds" ] && [ -z "$stopped" ]; do
  round=$((round + 1))
  runs
done
[ -f "$results/results.txt" ] || die "nothing was measured; Go said why in $results/results.log"
missing >"$scratch/missing"
[ -s "$scratch/missing" ] || exit 0
say "$(awk 'END { print NR }' "$scratch/missing") of the plan's benchmarks did not leave all results:"
sed 's/^/steady:   /' "$scratch/missing" >&2
exit 1
