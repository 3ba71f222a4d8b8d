// What jmh-samples do not declare.
package declaring;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@Fork(value = 2, warmups = 1, jvmArgsPrepend = "-Da=1", jvmArgs = {"-Xmx64m", "-Xint"})
@Timeout(time = 3, timeUnit = TimeUnit.MINUTES)
public class Declaring {
    @Param({"1", "2"})
    int n;

    @Benchmark
    @Fork(value = 3, jvmArgsAppend = {"-Db=2", "-Dc=3"})
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    @OperationsPerInvocation(7)
    @Threads(3)
    @Warmup(iterations = 2, time = 20, timeUnit = TimeUnit.MILLISECONDS, batchSize = 4)
    @Measurement(iterations = 4, time = 30, timeUnit = TimeUnit.MILLISECONDS, batchSize = 4)
    public int much() {
        return n;
    }

    @Benchmark
    @BenchmarkMode({Mode.SingleShotTime, Mode.SampleTime})
    @Measurement(batchSize = 50)
    @Warmup(batchSize = 50)
    public int shots() {
        return n;
    }

    @Benchmark
    @Group("pair")
    @GroupThreads(2)
    public int reader() {
        return n;
    }

    @Benchmark
    @Group("pair")
    @GroupThreads(3)
    public int writer() {
        return n;
    }
}
