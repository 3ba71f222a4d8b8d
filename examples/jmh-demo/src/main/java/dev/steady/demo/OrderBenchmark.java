package dev.steady.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Allocation: many small immutable objects through a builder. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 5, jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"})
public class OrderBenchmark {

    private static final String[] CUSTOMERS = {"Abel", "Bodil", "Cora", "Dirk"};

    @Benchmark
    public List<Order> buildOrders() {
        List<Order> orders = new ArrayList<>();
        for (int id = 0; id < 60; id++) {
            orders.add(Order.builder(id)
                    .customer(CUSTOMERS[id & 3])
                    .city("Bern")
                    .line("pencil HB", 1 + (id & 7), 120)
                    .line("notebook", 2, 350 + id)
                    .line("ink black", 1, 780)
                    .build());
        }
        return orders;
    }
}
