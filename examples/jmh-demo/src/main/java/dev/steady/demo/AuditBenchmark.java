package dev.steady.demo;

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

/**
 * Never settles: the trail lives as long as the fork, every operation adds an event to it, and adding looks
 * through all events before. The cost grows with the square root of the time run, in the sixtieth iteration
 * as in the tenth, so any "result" of this benchmark is an accident of how long it ran. No warm-up helps; the
 * cure would be a fresh trail of a fixed length for each iteration.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 5, jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"})
public class AuditBenchmark {

    private final AuditTrail trail = new AuditTrail();
    private long event;

    @Benchmark
    public boolean recordEvent() {
        return trail.record(event++);
    }
}
