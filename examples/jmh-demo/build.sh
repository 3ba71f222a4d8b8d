#!/bin/sh
# Builds the two versions of the demo: target/base.jar from the sources as they are, and
# target/head.jar with head.patch applied. Needs a JDK, Maven and patch.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=$here/target

# Each version is built in a folder of its own.
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

build_version base
build_version head
