package recorded;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 10, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@Fork(2)
public class Recorded {

    private int calls;

    @Benchmark
    public void work() {
        Blackhole.consumeCPU(200_000);
    }

    @Benchmark
    public int tiny() {
        return calls;
    }

    @State(Scope.Benchmark)
    public static class Sizes {
        @Param({"100000", "200000"})
        public int size;

        @Param({"plain", "a = b, <c> | d"})
        public String text;
    }

    @Benchmark
    public int params(Sizes sizes) {
        Blackhole.consumeCPU(sizes.size);
        return sizes.text.length();
    }

    @Benchmark
    @Group("pair")
    @GroupThreads(1)
    public void reader() {
        Blackhole.consumeCPU(50_000);
    }

    @Benchmark
    @Group("pair")
    @GroupThreads(2)
    public void writer() {
        Blackhole.consumeCPU(100_000);
    }

    @Benchmark
    public void throwing() {
        if (++calls > 3) {
            throw new IllegalStateException("planted: call " + calls);
        }
        Blackhole.consumeCPU(2_000_000);
    }

    @Benchmark
    public void noisy() {
        if (++calls % 3 == 1) {
            System.out.println("Iteration   9: this is the benchmark's own print, 1.5 ms/op it says");
        }
        Blackhole.consumeCPU(1_000_000);
    }

    @Benchmark
    public void halting() {
        Runtime.getRuntime().halt(3);
    }
}
