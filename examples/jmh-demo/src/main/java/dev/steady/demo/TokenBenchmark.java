package dev.steady.demo;

import java.nio.charset.StandardCharsets;
import java.util.Random;
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
 * Settles late, and not because of the compiler: the verifier keeps a derived key for every tenant it has
 * seen, and rare tenants keep turning up for a second or two after the code is compiled.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 5, jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"})
public class TokenBenchmark {

    private static final int TENANTS = 8000;

    private final byte[] request = "GET /orders/17".getBytes(StandardCharsets.UTF_8);
    private final Random random = new Random(21);
    private final TokenVerifier verifier = new TokenVerifier();

    @Benchmark
    public int signRequests() {
        int tags = 0;
        for (int i = 0; i < 100; i++) {
            double u = random.nextDouble();
            tags ^= verifier.sign((int) (TENANTS * u * u * u), request);
        }
        return tags;
    }
}
