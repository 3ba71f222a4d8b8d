#!/bin/sh
# Builds the two versions of the demo: target/base from the sources as they are, and target/head
# with head.patch applied. Needs Go and patch.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=$here/target

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
        (cd "$work/$package" && go test -c)
    done
    echo "built $work"
}

build_version base
build_version head
