package dev.steady.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
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

/** The collections of every program: a map, a sort, a stream. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 5, jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"})
public class CollectionBenchmark {

    private List<Order> orders;
    private String text;

    @Setup
    public void prepare() {
        orders = SampleData.orders(200);
        text = SampleData.text(2000, 300);
    }

    @Benchmark
    public Map<String, Integer> countWords() {
        return WordCount.of(text);
    }

    @Benchmark
    public List<Order> sortOrders() {
        List<Order> sorted = new ArrayList<>(orders);
        sorted.sort(Comparator.comparing(Order::city).thenComparing(Order::customer).thenComparingLong(Order::id));
        return sorted;
    }

    @Benchmark
    public Map<String, Long> sumByCity() {
        return orders.stream()
                .filter(order -> order.lines().size() > 1)
                .collect(Collectors.groupingBy(Order::city, TreeMap::new, Collectors.summingLong(Order::totalCents)));
    }
}
