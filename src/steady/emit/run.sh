#!/bin/sh
# Runs the benchmarks of the plan beside this file, each with its own configuration.
#
#   sh run.sh BENCHMARKS.JAR RESULTS [JMH OPTION AND VALUE]...
#
# leaves in the folder RESULTS
#   results.json      one result of JMH for every benchmark that left one
#   results.log       what JMH printed
#   environment.json  processor and operating system
# and ends with 0 if every benchmark of the plan left a result, 1 if not, 2 if it could not start.
#
# It needs java and a POSIX shell. STEADY_JVM_ARGS, parted by spaces, goes to JMH's own JVM, and
# from there to the forks of benchmarks that do not set jvmArgs themselves.
# Written by steady; made anew with each plan.
# shellcheck disable=SC1003,SC2016 # what stands in a name is only text
set -uf

# @sums@

# @runs@

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

# Only options that leave alone what the plan decides.
check_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      -gc | -jvm | -jvmArgs | -jvmArgsAppend | -jvmArgsPrepend | -opi | -prof | -si | -tg | -to | \
        -tu | -v | -wf) ;;
      *) die "$1 is decided by the plan, or is no option of JMH that can be added to it" ;;
    esac
    [ $# -ge 2 ] || die "the option $1 needs a value"
    shift 2
  done
}

checksum() {
  cksum | awk '{ print $1, $2 }'
}

# The jar's own list of benchmarks; nothing where no tool can read it.
list_of_jar() {
  if command -v unzip >/dev/null; then
    unzip -p "$jar" META-INF/BenchmarkList 2>/dev/null
  elif command -v jar >/dev/null; then
    (
      case $jar in /*) ;; *) jar=$PWD/$jar ;; esac
      cd "$scratch" && jar xf "$jar" META-INF/BenchmarkList && cat META-INF/BenchmarkList
    )
  fi
}

# An overlay made from another list would hide what has changed since.
overlay_fits() {
  [ -n "$overlay_sum" ] || return 1
  if [ "$(checksum <"$overlay/META-INF/BenchmarkList")" != "$overlay_sum" ]; then
    say "the overlay is not the one that was written with this script"
  elif [ "$(list_of_jar | checksum)" != "$list_sum" ]; then
    say "the jar's list of benchmarks is not the one that the plan was laid over"
  else
    return 0
  fi
  say "each group of equal configuration runs on its own instead"
  return 1
}

# jmh ARGUMENTS...: one start of JMH, unless the whole run was stopped.
jmh() {
  number=$((number + 1))
  [ -z "$stopped" ] || return 0
  say "run $number of $total"
  mkfifo "$scratch/output" || die "no named pipe can be made in $results"
  tee "$parts/$number.log" <"$scratch/output" &
  tee=$!
  # shellcheck disable=SC2086 # several arguments
  java ${STEADY_JVM_ARGS:-} -Djmh.scorePrecision=9 -cp "$class_path" org.openjdk.jmh.Main \
    -rf json -rff "$parts/$number.json" "$@" >"$scratch/output" &
  java=$!
  status=0
  wait "$java" || status=$?
  while kill -0 "$java" 2>/dev/null; do
    wait "$java" || status=$?
  done
  java=
  wait "$tee"
  rm -f "$scratch/output"
  [ "$status" -eq 0 ] || say "JMH ended with $status"
}

stop() {
  stopped=1
  say "stopping; what was measured so far is kept"
  [ -z "$java" ] || kill "$java" 2>/dev/null
}

# JMH writes its JSON at the end of a run: a killed run leaves an empty file.
is_complete() {
  awk 'NR == 1 && $0 != "[" { exit 1 } NF { last = $0 } END { exit last != "]" }' "$1" 2>/dev/null
}

# One array of all the runs' records; JMH writes the outer brackets alone on their lines.
merge() {
  awk '
    BEGIN { print "[" }
    FNR == 1 { fresh = 1; next }
    $0 == "]" || !NF { next }
    fresh && printed { print "    ," }
    { fresh = 0; printed = 1; print }
    END { print "]" }
  ' "$@"
}

# The identities of all records, as `expected` writes them.
identities() {
  awk '
    { sub(/^ +/, ""); sub(/,$/, "") }
    /^"benchmark" : "/ { name = substr($0, 15); params = ""; inside = 1; within = 0; next }
    !inside { next }
    /^"params" : \{$/ { within = 1; next }
    within && $0 == "}" { within = 0; next }
    within { params = params " " $0; next }
    /^"mode" : / { mode = substr($0, 10) }
    /^"threads" : / { threads = substr($0, 13) }
    /^"primaryMetric" : / { print name " " mode " " threads params; inside = 0 }
  ' "$1"
}

processor() {
  {
    sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo
    sysctl -n machdep.cpu.brand_string
    lscpu | sed -n 's/^Model name: *//p'
    uname -m
  } 2>/dev/null | sed -n '/./{p;q;}'
}

json_text() {
  LC_ALL=C tr -d '\000-\037\177' | LC_ALL=C sed 's/\\/\\\\/g; s/"/\\"/g'
}

environment() {
  printf '{"steady_environment": 1, "cpu": "%s", "os": "%s"}\n' \
    "$(processor | json_text)" "$(uname -srm | json_text)"
}

# keep FILE COMMAND...: what the command prints becomes that file of the results, or nothing does.
keep() {
  file=$results/$1
  shift
  if ! "$@" >"$scratch/kept" || ! mv "$scratch/kept" "$file"; then
    die "$file cannot be written; what each run left is in $parts"
  fi
}

# Keeps what was measured, and says what was not.
finish() {
  set --
  part=0
  while [ "$part" -lt "$total" ]; do
    part=$((part + 1))
    [ ! -f "$parts/$part.log" ] || cat "$parts/$part.log" >>"$scratch/log"
    ! is_complete "$parts/$part.json" || set -- "$@" "$parts/$part.json"
  done
  [ ! -f "$scratch/log" ] || keep results.log cat "$scratch/log"
  if [ $# -eq 0 ]; then
    rm -rf "$parts"
    die "no run of JMH left results; JMH said why, above or in $results/results.log"
  fi
  keep results.json merge "$@"
  keep environment.json environment
  rm -rf "$parts"
  identities "$results/results.json" >"$scratch/found"
  expected >"$scratch/expected"
  awk 'side == 1 { found[$0] = 1; next } !($0 in found)' \
    side=1 "$scratch/found" side=2 "$scratch/expected" >"$scratch/missing"
  [ -s "$scratch/missing" ] || return 0
  say "$(awk 'END { print NR }' "$scratch/missing") of the plan's benchmarks left no result:" \
    "they failed (see $results/results.log) or are not in the jar"
  sed 's/^/steady:   /' "$scratch/missing" >&2
  return 1
}

[ $# -ge 2 ] || die "usage: sh run.sh BENCHMARKS.JAR RESULTS [JMH OPTION AND VALUE]..."
jar=$1 results=$2
shift 2
check_options "$@"
case $jar in -*) jar=./$jar ;; esac
[ -f "$jar" ] || die "there is no jar $jar; build the benchmarks first"
command -v java >/dev/null || die "java is not on the PATH"
overlay=$(dirname -- "$0")/overlay
case $jar$overlay in *:*) die "Java parts its class path at ':'; choose paths without it" ;; esac
mkdir -p -- "$results" || die "the folder $results cannot be made"
results=$(CDPATH='' cd -- "$results" && pwd)
parts=$results/parts scratch=$results/.steady.$$
trap 'rm -rf "$scratch"' EXIT
rm -rf "$parts"
mkdir "$parts" "$scratch" || die "the folder $results cannot be written"
number=0 stopped='' java=''
trap stop HUP INT TERM
rm -f "$results/results.json" "$results/results.log" "$results/environment.json"

if overlay_fits; then
  class_path=$overlay:$jar
  run_with_overlay "$@"
else
  class_path=$jar
  run_by_groups "$@"
fi
finish
