import java.net.InetAddress;
import java.net.Socket;
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

/** Takes turns; with the hook or without it, and with the time that the hook needs. */
public final class TurnsOverhead implements InternalProfiler {

    private final String[] seat;
    private SteadyTurns hook;
    private Socket socket;
    private long nanos;

    /** Port, token, side, and whether the hook works too. */
    public TurnsOverhead(String initLine) {
        seat = initLine.split("-");
    }

    @Override
    public String getDescription() {
        return "what the hook costs";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (socket == null) {
            connect();
        }
        nanos = 0;
        if (hook != null) {
            long start = System.nanoTime();
            hook.beforeIteration(benchmark, iteration);
            nanos = System.nanoTime() - start;
        }
    }

    @Override
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        List<Result> results = new ArrayList<>();
        if (hook != null) {
            long start = System.nanoTime();
            results.addAll(hook.afterIteration(benchmark, iteration, result));
            nanos += System.nanoTime() - start;
            results.add(new ScalarResult("hook", nanos / 1e3, "us", AggregationPolicy.AVG));
        }
        takeTurn();
        return results;
    }

    private void connect() {
        try {
            hook = seat[3].equals("hook") ? new SteadyTurns("") : null;
            socket = new Socket(InetAddress.getByName("127.0.0.1"), Integer.parseInt(seat[0]));
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write((seat[1] + "-" + seat[2] + "\n").getBytes());
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
        takeTurn();
    }

    private void takeTurn() {
        try {
            socket.getOutputStream().write('?');
            if (socket.getInputStream().read() < 0) {
                throw new IllegalStateException("nobody lets this fork go on");
            }
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
