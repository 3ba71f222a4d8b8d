import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Lets the hook work in every other iteration, and tells the processor time that it needs. */
public final class TurnsOverhead implements InternalProfiler {

    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private final SteadyTurns hook;
    private int iteration;
    private long nanos;

    /** What the hook is told. */
    public TurnsOverhead(String initLine) {
        hook = new SteadyTurns(initLine);
    }

    @Override
    public String getDescription() {
        return "what the hook costs";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams parameters) {
        long start = CLOCK.getCurrentThreadCpuTime();
        if (works()) {
            hook.beforeIteration(benchmark, parameters);
        }
        nanos = CLOCK.getCurrentThreadCpuTime() - start;
    }

    @Override
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams parameters, IterationResult result) {
        long start = CLOCK.getCurrentThreadCpuTime();
        List<Result> results = new ArrayList<>();
        if (works()) {
            results.addAll(hook.afterIteration(benchmark, parameters, result));
        }
        nanos += CLOCK.getCurrentThreadCpuTime() - start;
        double micros = works() ? nanos / 1e3 : -1;
        results.add(new ScalarResult("hook", micros, "us", AggregationPolicy.AVG));
        iteration++;
        return results;
    }

    /** With it, without, without, with it, and so on: no drift favours either. */
    private boolean works() {
        return iteration % 4 == 0 || iteration % 4 == 3;
    }
}
