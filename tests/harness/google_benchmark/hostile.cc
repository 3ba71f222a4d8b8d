// Benchmarks of every kind that Google Benchmark has, and some that fail.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <thread>

extern "C" int work;  // base and head differ by it

static long sum(int times) {
  long total = 0;
  for (int i = 0; i < times * work; ++i) benchmark::DoNotOptimize(total += i);
  return total;
}

static void BM_plain(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
}
BENCHMARK(BM_plain);

template <class T>
static void BM_typed(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(static_cast<T>(state.range(0)) / 64 + 1));
}
BENCHMARK_TEMPLATE(BM_typed, int)->Arg(64)->UseRealTime();
BENCHMARK_TEMPLATE(BM_typed, double)->ArgsProduct({{1, 8}})->ArgName("size");

static void BM_threads(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
}
BENCHMARK(BM_threads)->Threads(4);

static void BM_manual(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(sum(1));
    state.SetIterationTime(1e-6 * work);
  }
}
BENCHMARK(BM_manual)->UseManualTime();

static void BM_fixed(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
}
BENCHMARK(BM_fixed)->Iterations(100);

static void BM_repeats(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
}
BENCHMARK(BM_repeats)->Repetitions(3)->Unit(benchmark::kMillisecond);

static void BM_aggregates(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
}
BENCHMARK(BM_aggregates)->Repetitions(3)->ReportAggregatesOnly(true);

static void BM_counters(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
  state.SetItemsProcessed(state.iterations() * 10);
  state.SetBytesProcessed(state.iterations() * 100);
  state.counters["nodes"] = 7;
  state.counters["rate"] = benchmark::Counter(state.iterations(), benchmark::Counter::kIsRate);
  state.SetLabel("a label, \"quoted\"");
}
BENCHMARK(BM_counters);

static void BM_odd(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
  state.counters["odd"] = std::nan("");
  state.counters["endless"] = INFINITY;
}
BENCHMARK(BM_odd);

static void BM_odd_name(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
}
BENCHMARK(BM_odd_name)->Name("BM_a.b+c(d)[e]{f}|g^h$i*?\\w space");

static void BM_skips(benchmark::State& state) {
  state.SkipWithError("no such device");
  for (auto _ : state) benchmark::DoNotOptimize(sum(1));
}
BENCHMARK(BM_skips);

static void BM_throws(benchmark::State& state) {
  for (auto _ : state) throw std::runtime_error("out of luck");
}
BENCHMARK(BM_throws);

static void BM_aborts(benchmark::State& state) {
  for (auto _ : state) std::abort();
}
BENCHMARK(BM_aborts);

static void BM_hangs(benchmark::State& state) {
  for (auto _ : state) std::this_thread::sleep_for(std::chrono::hours(1));
}
BENCHMARK(BM_hangs);

static void BM_bigo(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sum(static_cast<int>(state.range(0))));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_bigo)->Arg(1)->Arg(2)->Complexity(benchmark::oN);

BENCHMARK_MAIN();
