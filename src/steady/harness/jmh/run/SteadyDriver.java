import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.BenchmarkResultMetaData;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Runs JMH once for each line of standard input: a password, and JMH's arguments in Base64, separated
 * by commas.
 *
 * <p>Each is answered with one line: {@code steady:}, the password, {@code done} and the
 * milliseconds from the start of the first iteration to the end of the last, or {@code failed} and
 * the message in Base64. When the input ends, all processes started here have ended.
 */
public final class SteadyDriver {

    private SteadyDriver() {}

    public static void main(String[] arguments) throws InterruptedException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        // The process that started this JVM holds JMH's lock.
        System.setProperty("jmh.ignoreLock", "true");
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(lines), "steady: standard input");
        reader.setDaemon(true);
        reader.start();
        while (true) {
            String[] asked = lines.take().split(" ");
            answers.println("steady: " + asked[0] + " " + run(asked[1].split(",")));
            answers.flush();
        }
    }

    private static void read(BlockingQueue<String> lines) {
        try (BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        endForks();
        Runtime.getRuntime().halt(0);
    }

    /** In Java 8, a fork ends when it tries to report to its parent. */
    private static void endForks() {
        try {
            Class<?> handle = Class.forName("java.lang.ProcessHandle");
            Object self = handle.getMethod("current").invoke(null);
            java.util.stream.Stream<?> forks =
                    (java.util.stream.Stream<?>) handle.getMethod("descendants").invoke(self);
            for (Object fork : forks.toArray()) {
                handle.getMethod("destroyForcibly").invoke(fork);
            }
        } catch (ReflectiveOperationException e) {
            // Java 8
        }
    }

    /** Excludes the start of the fork; empty if JMH does not report times. */
    private static String milliseconds(Collection<RunResult> results) {
        long sum = 0;
        for (RunResult result : results) {
            for (BenchmarkResult fork : result.getBenchmarkResults()) {
                BenchmarkResultMetaData metadata = fork.getMetadata();
                if (metadata == null) {
                    return "";
                }
                sum += metadata.getStopTime() - metadata.getWarmupTime();
            }
        }
        return " " + sum;
    }

    private static String run(String[] encoded) {
        try {
            String[] arguments = new String[encoded.length];
            for (int i = 0; i < encoded.length; i++) {
                byte[] bytes = Base64.getDecoder().decode(encoded[i]);
                arguments[i] = new String(bytes, StandardCharsets.UTF_8);
            }
            return "done" + milliseconds(new Runner(new CommandLineOptions(arguments)).run());
        } catch (Throwable e) {
            String message = e.getMessage() == null ? e.toString() : e.getMessage();
            byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
            return "failed " + Base64.getEncoder().encodeToString(bytes);
        }
    }
}
