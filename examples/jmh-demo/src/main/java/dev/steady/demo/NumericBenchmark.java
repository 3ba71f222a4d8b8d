package dev.steady.demo;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
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

/** Arithmetic: two loops over primitives, two users of {@code java.math}. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 5, jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"})
public class NumericBenchmark {

    private static final int KEYS = 1000;

    private final String[] titles = SampleData.titles(8, 52);
    private final BloomFilter filter = new BloomFilter(16, 4);
    private final Order order = SampleData.bigOrder(100);
    private final BigDecimal taxRate = new BigDecimal("0.077");
    private final BigDecimal discount = new BigDecimal("2.5");
    private final BigInteger modulus = new BigInteger(512, new Random(11)).setBit(511).setBit(0);
    private final BigInteger base = new BigInteger(500, new Random(12));
    private final BigInteger exponent = new BigInteger(256, new Random(13));

    @Setup
    public void prepare() {
        for (long key = 0; key < KEYS; key += 2) {
            filter.add(key);
        }
    }

    @Benchmark
    public int editDistance() {
        int sum = 0;
        for (int i = 1; i < titles.length; i++) {
            sum += EditDistance.between(titles[i - 1], titles[i]);
        }
        return sum;
    }

    @Benchmark
    public int filterKeys() {
        int hits = 0;
        for (long key = 0; key < KEYS; key++) {
            if (filter.mightContain(key)) {
                hits++;
            }
        }
        return hits;
    }

    @Benchmark
    public BigDecimal invoiceTotal() {
        return Invoice.total(order, taxRate, discount);
    }

    @Benchmark
    public BigInteger modPow() {
        return base.modPow(exponent, modulus);
    }
}
