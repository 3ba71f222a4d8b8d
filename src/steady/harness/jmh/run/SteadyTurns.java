import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.IterationType;

/**
 * Interleaves a fork with another one, and adds the cost of an iteration to JMH's results.
 *
 * <p>It requests its turn with one byte and waits for one byte: before its first iteration, and
 * after each one, whose score precedes the request; in the warm-up with the microseconds that
 * compilers and all other threads have used so far, and the operations so far. The byte also states
 * whether threads began since the last request. The fork waits after an iteration, not before the
 * next one, because JMH counts the time of {@code beforeIteration} towards {@code @Timeout}, and so
 * that JMH's work between two iterations is in this fork's own turn. Without an answer, the fork
 * continues alone. The answer may announce the last iteration of the warm-up, or of the fork.
 */
public final class SteadyTurns implements ExternalProfiler, InternalProfiler {

    private static final String FORK = "org.openjdk.jmh.runner.ForkedMain";
    private static final int ASKED = '?';
    private static final int LAST = '.';
    private static final int ASKED_WITH_MORE_THREADS = '+';

    private final String[] seat;
    private final String prefix = prefix();
    private boolean begun;
    private IterationType kind;
    private int ofItsKind;
    private Socket socket;
    private long threadsBegun;
    private long operations;
    private Costs before;

    /**
     * JMH also creates an instance in its host JVM, where it must not take turns.
     *
     * @param initLine port, token and side; empty for a fork without turns
     */
    public SteadyTurns(String initLine) {
        seat = initLine.isEmpty() ? new String[0] : initLine.split("-");
        if (System.getProperty("sun.java.command", "").startsWith(FORK)) {
            begin();
        }
    }

    @Override
    public String getDescription() {
        return "Interleaving by steady, and costs of iterations";
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams benchmark) {
        return Collections.emptyList();
    }

    @Override
    public Collection<String> addJVMOptions(BenchmarkParams benchmark) {
        return Collections.emptyList();
    }

    @Override
    public void beforeTrial(BenchmarkParams benchmark) {}

    @Override
    public Collection<? extends Result> afterTrial(
            BenchmarkResult result, long pid, File output, File errors) {
        return Collections.emptyList();
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (!begun) {
            begin();
        }
        before = new Costs();
    }

    @Override
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        Costs after = new Costs();
        if (result.getRawPrimaryResults().isEmpty()) { // it threw: JMH ends the fork now
            leave();
            return Collections.emptyList();
        }
        List<ScalarResult> results = results(after, result.getMetadata().getAllOps());
        operations += result.getMetadata().getAllOps();
        ofItsKind = iteration.getType() == kind ? ofItsKind + 1 : 1;
        kind = iteration.getType();
        if (takeTurn(result.getPrimaryResult().getScore() + spent(after)) == LAST
                && ofItsKind < iteration.getCount() // otherwise the next iteration is of the other kind
                && !endAfter(iteration, ofItsKind + 1)) {
            leave();
        }
        return results;
    }

    /**
     * JMH reads the number of iterations before each one, so that the warm-up and the fork end
     * regularly. Returns whether this version of JMH supports it.
     */
    private static boolean endAfter(IterationParams iteration, int count) {
        for (Class<?> one = iteration.getClass(); one != null; one = one.getSuperclass()) {
            try {
                Field field = one.getDeclaredField("count");
                field.setAccessible(true);
                field.setInt(iteration, count);
                return true;
            } catch (ReflectiveOperationException | RuntimeException e) {
                // a field of a superclass
            }
        }
        return false;
    }

    /** Also loads, before the first turn, all classes that measure costs. */
    private void begin() {
        begun = true;
        before = new Costs();
        results(new Costs(), 1);
        if (seat.length == 0) {
            return;
        }
        try {
            socket = new Socket(Proxy.NO_PROXY);
            int port = Integer.parseInt(seat[0]);
            socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
            socket.setTcpNoDelay(true);
            String process = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
            String name = seat[1] + "-" + seat[2] + " " + process + "\n";
            socket.getOutputStream().write(name.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            leave();
        }
        takeTurn("");
    }

    /** Returns the answer; negative if there is none. */
    private int takeTurn(String score) {
        if (socket == null) {
            return -1;
        }
        int answer = -1;
        try {
            OutputStream question = socket.getOutputStream();
            long begun = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
            int asked = begun > threadsBegun ? ASKED_WITH_MORE_THREADS : ASKED;
            threadsBegun = begun;
            question.write((score + (char) asked).getBytes(StandardCharsets.US_ASCII));
            question.flush();
            answer = socket.getInputStream().read();
        } catch (IOException e) {
            // the connection is closed
        }
        if (answer < 0) {
            leave();
        }
        return answer;
    }

    /** Only for the warm-up: the cost of reading the threads must not affect a measurement. */
    private String spent(Costs after) {
        if (socket == null || kind != IterationType.WARMUP) {
            return "";
        }
        Threads threads = new Threads();
        if (threads.compiling == 0) { // not Linux
            threads.compiling = after.compiledMillis * 1_000_000;
            threads.others = after.processorNanos - threads.compiling;
        }
        return String.format(
                " %d %d %d", threads.compiling / 1000, threads.others / 1000, operations);
    }

    private void leave() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // the socket is no longer used
        }
        socket = null;
    }

    /** Names and units are those of JMH's profiler {@code gc}, as far as it reports them. */
    private List<ScalarResult> results(Costs after, long operations) {
        List<ScalarResult> results = new ArrayList<>();
        if (after.allocated != null && before.allocated != null && operations > 0) {
            double bytes = after.allocated.since(before.allocated);
            add(results, prefix + "gc.alloc.rate.norm", bytes / operations, "B/op", false);
        }
        long collections = after.collections - before.collections;
        add(results, prefix + "gc.count", collections, "counts", true);
        long collecting = after.collectionMillis - before.collectionMillis;
        add(results, prefix + "gc.time", collecting, "ms", true);
        if (after.compiledMillis >= 0) {
            long compiling = after.compiledMillis - before.compiledMillis;
            add(results, "steady.compiled", compiling, "ms", false);
        }
        if (after.processorNanos >= 0) {
            double busy = (after.processorNanos - before.processorNanos) / 1e6;
            add(results, "steady.cpu", busy, "ms", false);
        }
        return results;
    }

    private static void add(
            List<ScalarResult> results, String name, double value, String unit, boolean summed) {
        AggregationPolicy policy = summed ? AggregationPolicy.SUM : AggregationPolicy.AVG;
        results.add(new ScalarResult(name, value, unit, policy));
    }

    /** Older JMH writes a dot before the names of profiler results. */
    private static String prefix() {
        try {
            Class<?> defaults = Class.forName("org.openjdk.jmh.results.Defaults");
            return (String) defaults.getField("PREFIX").get(null);
        } catch (ReflectiveOperationException e) {
            return "";
        }
    }

    /** Costs of this JVM so far; negative if unknown. */
    private static final class Costs {
        private static final List<GarbageCollectorMXBean> COLLECTORS =
                ManagementFactory.getGarbageCollectorMXBeans();
        private static final CompilationMXBean COMPILER = compiler();
        private static final Object SYSTEM = ManagementFactory.getOperatingSystemMXBean();

        final Allocated allocated = Allocated.now();
        final long collections;
        final long collectionMillis;
        final long compiledMillis;
        final long processorNanos;

        Costs() {
            long count = 0;
            long millis = 0;
            for (GarbageCollectorMXBean bean : COLLECTORS) {
                count += Math.max(0, bean.getCollectionCount());
                millis += Math.max(0, bean.getCollectionTime());
            }
            collections = count;
            collectionMillis = millis;
            compiledMillis = COMPILER == null ? -1 : COMPILER.getTotalCompilationTime();
            processorNanos = processorNanos();
        }

        private static CompilationMXBean compiler() {
            CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
            boolean timed = compiler != null && compiler.isCompilationTimeMonitoringSupported();
            return timed ? compiler : null;
        }

        private static long processorNanos() {
            try {
                return SYSTEM instanceof com.sun.management.OperatingSystemMXBean
                        ? ((com.sun.management.OperatingSystemMXBean) SYSTEM).getProcessCpuTime()
                        : -1;
            } catch (LinkageError e) {
                return -1;
            }
        }
    }

    /**
     * The processor time of compilers, and of all other threads that are alive, in nanoseconds.
     *
     * <p>Linux reports it for every thread. This includes compilations in progress, and excludes
     * the time that a compiler waits for a processor; {@code CompilationMXBean} does neither.
     */
    private static final class Threads {
        private static final File ALL = new File("/proc/self/task");
        private static final byte[] READ = new byte[512];

        long compiling;
        long others;

        Threads() {
            String[] threads = ALL.list();
            for (String thread : threads == null ? new String[0] : threads) {
                String name = read(thread + "/comm");
                String spent = read(thread + "/schedstat").split(" ")[0];
                if (!spent.matches("\\d{1,18}")) {
                    continue;
                }
                if (name.startsWith("C1 ") || name.startsWith("C2 ") || name.startsWith("JVMCI")) {
                    compiling += Long.parseLong(spent);
                } else {
                    others += Long.parseLong(spent);
                }
            }
        }

        /** Empty if there is no such file, or the thread has ended. */
        private static String read(String name) {
            try (FileInputStream file = new FileInputStream(new File(ALL, name))) {
                int length = file.read(READ);
                return new String(READ, 0, Math.max(length, 0), StandardCharsets.US_ASCII);
            } catch (IOException e) {
                return "";
            }
        }
    }

    /** Bytes allocated by each thread except this one, which runs JMH and no benchmark. */
    private static final class Allocated {
        private static final Object THREADS = ManagementFactory.getThreadMXBean();
        private static final Method TOTAL = total();
        private final Map<Long, Long> bytes;

        private Allocated(Map<Long, Long> bytes) {
            this.bytes = bytes;
        }

        /** Bytes of a thread that began since then count in full. */
        long since(Allocated earlier) {
            long sum = 0;
            for (Map.Entry<Long, Long> thread : bytes.entrySet()) {
                Long former = earlier.bytes.get(thread.getKey());
                sum += thread.getValue() - (former == null ? 0 : former);
            }
            return Math.max(0, sum);
        }

        /** Null if the JVM does not report it. */
        static Allocated now() {
            try {
                return THREADS instanceof com.sun.management.ThreadMXBean
                        ? of((com.sun.management.ThreadMXBean) THREADS)
                        : null;
            } catch (LinkageError | ReflectiveOperationException | RuntimeException e) {
                return null;
            }
        }

        private static Allocated of(com.sun.management.ThreadMXBean threads)
                throws ReflectiveOperationException {
            if (!threads.isThreadAllocatedMemorySupported()
                    || !threads.isThreadAllocatedMemoryEnabled()) {
                return null;
            }
            long self = Thread.currentThread().getId();
            long total = TOTAL == null ? -1 : (Long) TOTAL.invoke(threads);
            if (total >= 0) { // Java 21: includes threads that have ended
                long others = total - threads.getThreadAllocatedBytes(self);
                return new Allocated(Collections.singletonMap(-1L, others));
            }
            long[] ids = threads.getAllThreadIds();
            long[] allocated = threads.getThreadAllocatedBytes(ids);
            Map<Long, Long> bytes = new HashMap<>();
            for (int i = 0; i < ids.length; i++) {
                if (ids[i] != self && allocated[i] >= 0) {
                    bytes.put(ids[i], allocated[i]);
                }
            }
            return new Allocated(bytes);
        }

        private static Method total() {
            try {
                return com.sun.management.ThreadMXBean.class.getMethod(
                        "getTotalThreadAllocatedBytes");
            } catch (LinkageError | ReflectiveOperationException e) {
                return null;
            }
        }
    }
}
