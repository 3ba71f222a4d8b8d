#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

// Writes cents as a price: 1234567 becomes 12,345.67.
static std::string Price(std::int64_t cents) {
  std::string text = std::to_string(cents / 100);
  for (int place = static_cast<int>(text.size()) - 3; place > 0; place -= 3) {
    text.insert(place, 1, ',');
  }
  const std::string rest = std::to_string(cents % 100);
  return text + (rest.size() == 1 ? ".0" : ".") + rest;
}

static void BM_Price(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Price(state.range(0)));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Price)->Arg(99)->Arg(123456789);
