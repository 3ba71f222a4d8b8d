#!/bin/sh
# Records what the installed Go prints of the benchmarks in module/: ./record.sh
set -u

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/module" || exit

# record NAME ARGUMENT...: the output of one go test, errors included.
record() {
    name=$1
    shift
    go test -trimpath -run '^$' -benchtime 10ms "$@" >"$here/$name.txt" 2>&1
}

record plain -bench 'Work|Nested' -count 3 ./plain
record units -bench 'Units|OwnUnitOnly|Slow' -count 2 ./plain
record printing -bench 'Printing|Work|Skipped' -count 2 ./plain
record verbose -bench 'Printing|Work|Skipped|Nested' -v ./plain
record processors -bench 'Work|Nested/size' -cpu 1,2,8 -count 2 ./plain
record one-processor -bench 'Work|Nested/size' -cpu 1 -count 2 ./plain
record counted -bench Work -benchtime 25x -count 3 ./plain
record failing -bench . -count 2 ./...
record several -bench 'Before|Work' ./failing ./plain
record json -bench Work -json ./plain
for _ in 1 2 3; do
    go test -trimpath -run '^$' -bench Work -benchtime 10ms -count 4 ./plain
done >"$here/appended.txt" 2>&1
