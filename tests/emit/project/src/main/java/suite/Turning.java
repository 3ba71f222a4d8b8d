package suite;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Writes down when each of its iterations begins and ends, and fails where it is told to.
 *
 * <p>Properties: {@code turning.log}, a file that gets a line {@code base + process} at the beginning
 * of an iteration and {@code base - process} at its end; {@code turning.fails}, such as {@code
 * head:2:halt}; {@code turning.port}, which each fork binds.
 */
@Warmup(iterations = 0)
@Measurement(iterations = 1, time = 10, timeUnit = TimeUnit.MILLISECONDS)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Turning {

    @State(Scope.Benchmark)
    public static class Diary {
        private final String jar =
                new File(System.getProperty("java.class.path").replaceFirst("[.]jar.*", ""))
                        .getName();
        private final String process = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        private final String[] fails = System.getProperty("turning.fails", "::").split(":", -1);
        private int iteration;
        private ServerSocket port;

        @Setup(Level.Trial)
        public void bind() throws IOException {
            Integer number = Integer.getInteger("turning.port");
            if (number != null) {
                port = new ServerSocket(number, 1, InetAddress.getLoopbackAddress());
            }
        }

        @Setup(Level.Iteration)
        public void begins() throws IOException, InterruptedException {
            write("+");
            if (fails[0].equals(jar) && Integer.parseInt(fails[1]) == iteration) {
                fail(fails[2]);
            }
            iteration++;
        }

        @TearDown(Level.Iteration)
        public void ends() throws IOException {
            write("-");
        }

        private void write(String event) throws IOException {
            String log = System.getProperty("turning.log");
            if (log != null) {
                try (Writer writer = new FileWriter(log, true)) {
                    writer.write(jar + " " + event + " " + process + "\n");
                }
            }
        }

        private static void fail(String how) throws InterruptedException {
            if (how.equals("hang")) {
                Thread.sleep(Long.MAX_VALUE);
            } else if (how.equals("halt")) {
                Runtime.getRuntime().halt(3);
            } else if (how.equals("memory")) {
                throw new OutOfMemoryError("Java heap space");
            }
            throw new IllegalStateException("as it should");
        }
    }

    @State(Scope.Benchmark)
    public static class Texts {
        @Param({"a,b", "c"})
        String text;
    }

    @Benchmark
    @BenchmarkMode(Mode.All)
    public byte[] allocates(Diary diary) {
        return new byte[100_000];
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @Threads(2)
    public byte[] onTwoThreads(Diary diary) {
        return new byte[100_000];
    }

    @Benchmark
    @Group("twoGroups")
    @GroupThreads(2)
    public long reads(Diary diary) {
        return 1;
    }

    @Benchmark
    @Group("twoGroups")
    public long writes(Diary diary) {
        return 1;
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public int named(Diary diary, Texts texts) {
        return texts.text.length();
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @Fork(value = 1, warmups = 2)
    public long afterTwoForks(Diary diary) {
        return 1;
    }
}
