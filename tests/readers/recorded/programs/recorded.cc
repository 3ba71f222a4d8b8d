// What record.sh runs with Google Benchmark.
#include <benchmark/benchmark.h>

static void BM_work(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
}
BENCHMARK(BM_work);

static void BM_counted(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.range(0));
  state.counters["own"] = state.range(0);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_counted)->Arg(8)->Unit(benchmark::kMicrosecond)->UseRealTime();

static void BM_failing(benchmark::State& state) {
  state.SkipWithError("no luck");
  for (auto _ : state) {
  }
}
BENCHMARK(BM_failing);

BENCHMARK_MAIN();
