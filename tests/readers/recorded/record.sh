#!/bin/sh
# Records the fixtures beside this script: ./record.sh VERSION...
# Needs Java 17 and Maven; works in a temporary folder and leaves VERSION/*.json and VERSION/*.log.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for version in "$@"; do
  out="$here/$version"
  lib="$work/$version/lib"
  classes="$work/$version/classes"
  mkdir -p "$out" "$lib" "$classes"
  mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -Djmh="$version" -DoutputDirectory="$lib"
  javac -cp "$lib/*" -d "$classes" "$here/Recorded.java"

  # run NAME [-D...] -- JMH arguments: leaves NAME.log and NAME.json
  run() {
    name=$1
    shift
    properties=
    while [ "$1" != -- ]; do
      properties="$properties $1"
      shift
    done
    shift
    # shellcheck disable=SC2086
    (cd "$out" && java -Djmh.ignoreLock=true $properties -cp "$classes:$lib/*" org.openjdk.jmh.Main \
      -jvm java -jvmArgs -Xint -o "$name.log" -rf json -rff "$name.json" "$@") || true
  }

  exact=-Djmh.scorePrecision=9
  run plain $exact -- 'Recorded\.work$'
  run params $exact -- 'Recorded\.params$' -f 1
  run modes $exact -- 'Recorded\.work$' -bm all -f 1
  run threads $exact -- 'Recorded\.work$' -bm thrpt -tu ms -t 2 -i 2 -f 1
  run group $exact -- 'Recorded\.pair$' -f 1
  run profiler $exact -- 'Recorded\.work$' -prof gc -f 1
  run rounded -- 'Recorded\.(work|tiny)$' -f 1 -tu s
  run failing $exact -- 'Recorded\.(halting|throwing|work)$' -f 1
  run aborted $exact -- 'Recorded\.throwing$' -foe true
  run warmup-forks $exact -- 'Recorded\.work$' -wf 1
  run cold $exact -- 'Recorded\.work$' -wi 0
  run batch $exact -- 'Recorded\.work$' -bm ss -wbs 2 -bs 3 -f 1
  run no-raw-data -Djmh.json.rawData=false -- 'Recorded\.work$' -f 1

  # What no version writes differently is recorded once.
  [ "$version" = 1.37 ] || continue
  run bulk $exact -- 'Recorded\.(work|tiny)$' -wm BULK -f 1
  run bulk-own $exact -- 'Recorded\.(work|tiny)$' -wm BULK_INDI -f 1
  # What a benchmark prints stands in a captured standard output, not in the -o file.
  (cd "$out" && java -Djmh.ignoreLock=true $exact -cp "$classes:$lib/*" org.openjdk.jmh.Main \
    -jvm java -rf json -rff noisy.json 'Recorded\.noisy$' -f 1 >noisy.log)
  run unforked $exact -- 'Recorded\.work$' -f 0
  run comma $exact -Duser.language=de -Duser.country=DE -- 'Recorded\.work$' -f 1
  run ascii -Dfile.encoding=US-ASCII -- 'Recorded\.(pair|tiny)$' -tu s -f 1
  run verbose $exact -- 'Recorded\.work$' -v EXTRA -gc true -f 1
  sed -i "s|$work|/tmp/recording|g" "$out/verbose.log"
done
