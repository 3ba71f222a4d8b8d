package suite;

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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

@State(Scope.Benchmark)
@Fork(value = 2, jvmArgsAppend = "-Xint")
@Warmup(iterations = 3, time = 10, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 10, timeUnit = TimeUnit.MILLISECONDS)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Suite {

    @Benchmark
    @BenchmarkMode({Mode.AverageTime, Mode.Throughput})
    public long twoModes() {
        return 1;
    }

    /** Its name begins with another's. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public long twoModesMore() {
        return 1;
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @Measurement(iterations = 5, batchSize = 2)
    public long once() {
        return 1;
    }

    @Benchmark
    @Threads(2)
    public long threads() {
        return 1;
    }

    @Benchmark
    public long failing() {
        throw new IllegalStateException("as it should");
    }

    @Benchmark
    @Group("pair")
    @GroupThreads(2)
    public long reader() {
        return 1;
    }

    @Benchmark
    @Group("pair")
    public long writer() {
        return 1;
    }

    @State(Scope.Benchmark)
    public static class Numbers {
        @Param({"1", "2", "3"})
        int n;

        @Param({"x", "y"})
        String letter;
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public long alike(Numbers numbers) {
        return numbers.n;
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public long different(Numbers numbers) {
        return numbers.n;
    }

    public abstract static class Base {
        @Benchmark
        public long inherited() {
            return 1;
        }
    }

    public static class Inner extends Base {}
}
