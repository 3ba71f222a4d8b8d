package suite;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** What a benchmark should not do, and what few do. */
@Fork(1)
@Warmup(iterations = 0)
@Measurement(iterations = 1, time = 10, timeUnit = TimeUnit.MILLISECONDS)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Misbehaving {

    @Benchmark
    public void hangs() throws InterruptedException {
        Thread.sleep(Long.MAX_VALUE);
    }

    @Benchmark
    public void exits() {
        System.exit(1);
    }

    @Benchmark
    public void exitsAsIfAllWereWell() {
        System.exit(0);
    }

    @Benchmark
    public void halts() {
        Runtime.getRuntime().halt(134);
    }

    @Benchmark
    public void throwsManyLines() {
        throw new IllegalStateException("first\nsecond \u001b[31mred");
    }

    @Benchmark
    public long prints() {
        System.out.println("steady: done");
        System.err.println("<failure>");
        return 1;
    }

    @Benchmark
    @Threads(Threads.MAX)
    public long onAllProcessors() {
        return 1;
    }

    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Events {
        public long seen;
    }

    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Operations {
        public long done;
    }

    @Benchmark
    public long counts(Events events, Operations operations) {
        events.seen++;
        operations.done += 2;
        return events.seen;
    }
}
