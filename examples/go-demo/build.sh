#!/bin/sh
# Builds the two versions of the demo: target/base from the sources as they are, and target/head
# with head.patch applied. Needs Go and patch. Where Go's linker can shuffle functions, each binary
# also gets three layouts, which `steady run` uses in turn.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=$here/target

build_layouts() {
    go tool link -h 2>&1 | grep -q randlayout || return 0
    for number in 1 2 3; do
        mkdir -p "_layouts/$number"
        go test -c -ldflags="-randlayout=$number" -o "_layouts/$number/"
    done
}

# Each version is a copy of the sources with a test binary in the folder of each package, where the
# benchmarks find their testdata.
build_version() {
    work=$target/$1
    rm -rf "$work"
    mkdir -p "$work"
    cp -R "$here/go.mod" "$here/orders" "$here/text" "$work/"
    if [ "$1" = head ]; then
        (cd "$work" && patch -s -p1 <"$here/head.patch")
    fi
    for package in orders text; do
        (cd "$work/$package" && go test -c && build_layouts)
    done
    echo "built $work"
}

build_version base
build_version head
