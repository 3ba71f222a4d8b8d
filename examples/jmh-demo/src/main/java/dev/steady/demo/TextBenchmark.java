package dev.steady.demo;

import java.util.List;
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

/** Strings: building, formatting, matching. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 5, jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"})
public class TextBenchmark {

    private List<Order> orders;
    private List<String> accessLog;

    @Setup
    public void prepare() {
        orders = SampleData.orders(100);
        accessLog = SampleData.accessLog(100);
    }

    @Benchmark
    public String renderCsv() {
        return CsvWriter.render(orders);
    }

    /** Much code behind {@link String#format}: the compiler is busy for long. */
    @Benchmark
    public String formatReport() {
        return SalesReport.render(orders);
    }

    @Benchmark
    public long matchLogLines() {
        return AccessLog.bytesServed(accessLog);
    }
}
