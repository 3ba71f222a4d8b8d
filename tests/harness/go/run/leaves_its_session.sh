#!/bin/sh
# A test binary that comes to its first iteration, and has started somebody who leaves its session.
setsid sleep 600 &
while ! [ -e ../go ]; do touch here; sleep 0.01; done
printf 'goos: linux\n'; printf 'cpu: A\n'; printf 'BenchmarkX   \t'
exec sleep 600
