package suite;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

/** Parameter values that shells, regular expressions and JSON take for something else. */
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 0)
@Measurement(iterations = 1, time = 10, timeUnit = TimeUnit.MILLISECONDS)
public class Odd {
    @Param({"", " a  b ", "it's", "\"quoted\" \\ back", "$(touch canary) `touch canary`", "*?[a]{};|<>", "x=y", "-wi"})
    String value;

    @Param({"a,b", "c"})
    String comma;

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public int odd() {
        return value.length();
    }
}
