package dev.steady.demo;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Single operations timed one by one: a trace of page requests through a cache. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 5, jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"})
public class CacheBenchmark {

    private static final int PAGES = 4000;

    private int[] requests;

    @Setup
    public void prepare() {
        requests = SampleData.skewed(20_000, PAGES);
    }

    @Benchmark
    public int replayTrace() {
        LruCache<Integer, Integer> cache = new LruCache<>(PAGES / 4);
        int misses = 0;
        for (int page : requests) {
            if (cache.get(page) == null) {
                cache.put(page, page);
                misses++;
            }
        }
        return misses;
    }
}
