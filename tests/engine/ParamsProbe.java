import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.ActionPlan;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;

/**
 * Tells what JMH itself would run, and runs none of it: for each line of arguments on standard
 * input, base64 parted by commas, a line for each benchmark, and an empty one.
 */
public class ParamsProbe extends Runner {
    private static final PrintStream TOLD = System.out;

    /** Ends JMH before it runs anything. */
    private static final class Enough extends RuntimeException {}

    private ParamsProbe(Options options) {
        super(options);
    }

    public static void main(String[] none) throws Exception {
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] arguments =
                    Arrays.stream(line.split(",")).map(ParamsProbe::decoded).toArray(String[]::new);
            try {
                new ParamsProbe(new CommandLineOptions(arguments)).run();
            } catch (Enough told) {
                TOLD.println();
            } catch (RunnerException nothing) {
                TOLD.println(nothing + "\n");
            }
        }
    }

    @Override
    protected void etaBeforeBenchmarks(Collection<ActionPlan> plans) {
        for (ActionPlan plan : plans) {
            List<?> actions = plan.getMeasurementActions();
            actions.forEach(action -> tell(paramsOf(action)));
        }
        throw new Enough();
    }

    /** JMH's class Action is its own. */
    private static BenchmarkParams paramsOf(Object action) {
        try {
            Method getter = action.getClass().getMethod("getParams");
            getter.setAccessible(true);
            return (BenchmarkParams) getter.invoke(action);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    private static void tell(BenchmarkParams p) {
        StringBuilder params = new StringBuilder();
        for (String key : p.getParamsKeys()) {
            params.append(key).append('=').append(p.getParam(key)).append(';');
        }
        TOLD.println(
                String.join(
                        "\t",
                        "benchmark=" + p.getBenchmark(),
                        "mode=" + p.getMode().shortLabel(),
                        "params=" + params,
                        "threads=" + p.getThreads(),
                        "groups=" + Arrays.toString(p.getThreadGroups()) + p.getThreadGroupLabels(),
                        "forks=" + p.getForks(),
                        "warmup forks=" + p.getWarmupForks(),
                        "warmup=" + times(p.getWarmup()),
                        "warmup batch size=" + p.getWarmup().getBatchSize(),
                        "measurement=" + times(p.getMeasurement()),
                        "batch size=" + p.getMeasurement().getBatchSize(),
                        "synchronized=" + p.shouldSynchIterations(),
                        "unit=" + p.getTimeUnit(),
                        "operations=" + p.getOpsPerInvocation(),
                        "jvm=" + p.getJvm(),
                        "jvm arguments=" + p.getJvmArgs(),
                        "timeout=" + p.getTimeout()));
    }

    private static String times(IterationParams iterations) {
        return iterations.getCount() + " x " + iterations.getTime();
    }
}
