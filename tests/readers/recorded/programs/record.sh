#!/bin/sh
# Records what pytest-benchmark, pyperf, Google Benchmark, hyperfine and Criterion.rs write: ./record.sh
# No tool wrote benchmarkdotnet.json and kotlinx-benchmark.json: they have the form that their harnesses'
# exporters give. asv.json is of asv 0.6.6. PYTHON is one that has pytest-benchmark and pyperf. The name of the machine is left out.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir /tmp/recorded
trap "rm -rf /tmp/recorded" EXIT
cp "$here"/*.py "$here"/recorded* /tmp/recorded
cd /tmp/recorded

export PYTHONPATH=.
pytest="${PYTHON:-python3} -m pytest -q -p no:cacheprovider -p no_machine python_benchmarks.py"
$pytest --benchmark-json="$here/pytest-benchmark.json" >/dev/null
$pytest --benchmark-storage=file://saved --benchmark-save=means -k work >/dev/null 2>&1
mv saved/*/*.json "$here/pytest-benchmark-means.json"

"${PYTHON:-python3}" pyperf_benchmarks.py --quiet --inherit-environ PYTHONPATH -o pyperf.json
sed 's/"hostname":"[^"]*"/"hostname":"host"/' pyperf.json | tr -d '\n' |
    sed 's/"python_executable":"[^"]*"/"python_executable":"python"/' |
    sed 's/"python_config_args":"[^"]*",//' >"$here/pyperf.json"

g++ -O1 recorded.cc -o recorded -lbenchmark -pthread
./recorded --benchmark_repetitions=2 --benchmark_min_time=0.001 --benchmark_format=json \
    2>/dev/null | sed 's/"host_name": ".*"/"host_name": "host"/' >"$here/google-benchmark.json"

hyperfine --runs 3 --parameter-list seconds 0,0.01 --export-json "$here/hyperfine.json" \
    --shell none 'sleep {seconds}' >/dev/null 2>&1

steady run --jar "$here/../../../../examples/criterion" --full 2x2 --iteration-seconds 0.01 \
    --out criterion -- cargo bench >/dev/null 2>&1
mv criterion/results.json "$here/criterion.json"
npm install --silent --no-save tinybench@6 vitest@4
node recorded.mjs
npx vitest bench --run --outputJson="$here/tinybench-vitest.json" recorded.bench >/dev/null
cp tinybench.json "$here"
npm install --silent --no-save vitest@5 # it needs Node 22
npx vitest bench --run --reporter=json --outputFile="$here/tinybench-vitest-5.json" recorded5 >/dev/null
