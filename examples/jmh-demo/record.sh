#!/bin/sh
# Builds the two versions of the demo and records what its benchmarks measure.
#
#   ./record.sh build               target/base.jar and target/head.jar
#   ./record.sh full OUT            every benchmark of base: 5 forks of 60 iterations, about 11 minutes
#   ./record.sh reduced PLAN OUT    base and head in turn, five rounds of one fork, with the plan in the folder PLAN
#
# Record on an idle machine: no other program, no browser, a laptop on mains power. Anything that runs
# beside the benchmarks ends up in the results, and nobody can take it out again.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=$here/target

usage() {
    sed -n '4,6s/^# *//p' "$0" >&2
    exit 2
}

# The path of $1 as it will be found from any folder.
absolute() {
    (cd "$1" && pwd)
}

# The share of all cores, in per cent, that was at work during the last three seconds.
busy_percent() {
    { head -n 1 /proc/stat; sleep 3; head -n 1 /proc/stat; } | awk '
        { all = 0; for (i = 2; i <= 9; i++) all += $i; idle = $5 + $6 }
        NR == 1 { all1 = all; idle1 = idle }
        END { printf "%d", 100 * (1 - (idle - idle1) / (all - all1)) }'
}

require_idle() {
    [ -r /proc/stat ] || return 0
    busy=$(busy_percent)
    if [ "$busy" -gt 5 ] && [ "${RECORD_ANYWAY:-0}" != 1 ]; then
        echo "record.sh: this machine is $busy % busy; wait until it is idle (5 % at most)," >&2
        echo "record.sh: or set RECORD_ANYWAY=1 if the results are not meant to be kept" >&2
        exit 1
    fi
}

require_jars() {
    for version in base head; do
        if [ ! -f "$target/$version.jar" ]; then
            echo "record.sh: $target/$version.jar is missing; run ./record.sh build first" >&2
            exit 1
        fi
    done
}

# Builds the sources as they are (base) or with head.patch applied (head), each in a folder of its own.
build_version() {
    work=$target/$1
    rm -rf "$work"
    mkdir -p "$work"
    cp -R "$here/pom.xml" "$here/src" "$work/"
    if [ "$1" = head ]; then
        (cd "$work" && patch -s -p1 <"$here/head.patch")
    fi
    (cd "$work" && mvn -q -B -Dstyle.color=never package)
    cp "$work/target/benchmarks.jar" "$target/$1.jar"
    echo "built $target/$1.jar"
}

build() {
    build_version base
    build_version head
}

# Warm-up is set to nothing, so that every iteration from the first one on is in the results. These options
# override the annotations. The log gets nine decimals.
full() {
    require_jars
    require_idle
    mkdir -p "$1"
    out=$(absolute "$1")
    java -Djmh.scorePrecision=9 -jar "$target/base.jar" -wi 0 -i 60 -r 100ms -f 5 -foe true \
        -rf json -rff "$out/full-base.json" -o "$out/full-base.log"
    gzip -9nf "$out/full-base.json" "$out/full-base.log"
    ls -l "$out"
}

# Base and head in turn, a fork of each benchmark at a time: a slow minute of the machine then hits both.
reduced() {
    require_jars
    if [ ! -f "$1/plan.json" ]; then
        echo "record.sh: there is no plan.json in $1; make the plan first (see README.md)" >&2
        exit 1
    fi
    require_idle
    mkdir -p "$2"
    out=$(absolute "$2")
    for version in base head; do
        "${PYTHON:-python3}" "$here/one_fork.py" "$1/plan.json" "$target/$version.jar" "$out/.$version"
    done
    # Exit code 1 says that a benchmark of the plan left no result: in head, one has another name.
    for round in 1 2 3 4 5; do
        for version in base head; do
            sh "$out/.$version/run.sh" "$target/$version.jar" "$out/$version/$round" || [ $? -eq 1 ]
        done
    done
    for version in base head; do
        for round in 1 2 3 4 5; do
            mv "$out/$version/$round/results.json" "$out/$version/$round.json"
            mv "$out/$version/$round/environment.json" "$out/$version/"
            rm -r "$out/$version/$round"
        done
    done
    # The plan does not know the new name, so its annotations hold.
    java -Djmh.scorePrecision=9 -jar "$target/head.jar" '\.ShapeBenchmark\.sumOfAreas$' \
        -rf json -rff "$out/head/new.json"
    find "$out" -type f -name '*.json' ! -name environment.json ! -path "$out/.*" -exec gzip -9nf {} +
    ls -l "$out"/*
}


case ${1-} in
    build) [ $# -eq 1 ] || usage; build ;;
    full) [ $# -eq 2 ] || usage; full "$2" ;;
    reduced) [ $# -eq 3 ] || usage; reduced "$2" "$3" ;;
    *) usage ;;
esac
