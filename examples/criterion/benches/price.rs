use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use shop::price;
use std::hint::black_box;

fn prices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("price");
    group.throughput(Throughput::Elements(1));
    for cents in [99, 123456789] {
        group.bench_function(BenchmarkId::from_parameter(cents), |bencher| {
            bencher.iter(|| price(black_box(cents)))
        });
    }
}

criterion_group!(benches, prices);
criterion_main!(benches);
