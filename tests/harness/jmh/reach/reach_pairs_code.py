"""Pairs of which head's code runs otherwise, natural ones first."""

from __future__ import annotations

from reach_pairs import Pair

LATE = (
    Pair("late_eviction", """
        public class B { int n; Object put() { return ++n > 900 ? new Evictor().evict(n) : n; }
          public Object run() { Object o = 0; for (int i = 0; i < 1000; i++) o = put(); return o; } }
        class Evictor { Object evict(int n) { return [[n||-n]]; } }"""),
    Pair("second_iteration", """
        public class B { static int it; public Object run() { it++; it++; return it > 1 ? Later.f() : 0; } }
        class Later { static Object f() { return [[1||2]]; } }"""),
    Pair("after_some_time", """
        public class B { long start = System.nanoTime(); public Object run() throws Exception {
          Thread.sleep(20); return System.nanoTime() - start > 10_000_000 ? Compactor.go() : 0; } }
        class Compactor { static Object go() { return [[1||2]]; } }"""),
    Pair("cache_eldest", """
        public class B { public Object run() { Map<Integer, Integer> m = new Cache();
          for (int i = 0; i < 20; i++) m.put(i, i); return m.size(); } }
        class Cache extends LinkedHashMap<Integer, Integer> {
          protected boolean removeEldestEntry(Map.Entry<Integer, Integer> e) { return size() > [[9||5]]; } }"""),
    Pair("time_out", """
        public class B { public Object run() throws Exception {
          ScheduledExecutorService s = Executors.newScheduledThreadPool(1);
          try { return s.schedule(new Task(), 1, TimeUnit.MILLISECONDS).get(); } finally { s.shutdown(); } } }
        class Task implements Callable<Object> { public Object call() { return [[1||2]]; } }"""),
    Pair("size_threshold", """
        public class B { public Object run() { return Sorter.sort(new int[100]); } }
        class Sorter { static Object sort(int[] a) { return a.length < 47 ? 0 : big(a); }
          private static Object big(int[] a) { return [[1||2]]; } }"""),
    Pair("jit_tier", """
        public class B { int calls; Object hot() { return ++calls > 10_000 ? Fast.f() : 0; }
          public Object run() { Object o = 0; for (int i = 0; i < 20_000; i++) o = hot(); return o; } }
        class Fast { static Object f() { return [[1||2]]; } }"""),
    Pair("lazy_holder", """
        public class B { public Object run() { return Holder.IT.v; } 
          private static class Holder { static final Thing IT = new Thing(); } }
        class Thing { final int v; Thing() { v = [[1||2]]; } }"""),
    Pair("weak_reload", """
        public class B { java.lang.ref.SoftReference<Object> r = new java.lang.ref.SoftReference<>(1);
          public Object run() { r.clear(); Object o = r.get(); return o == null ? Loader.load() : o; } }
        class Loader { static Object load() { return [[1||2]]; } }"""),
    Pair("retry_on_error", """
        public class B { public Object run() { try { return Integer.parseInt("x"); }
          catch (NumberFormatException e) { return Fallback.f(); } } }
        class Fallback { static Object f() { return [[1||2]]; } }"""),
    Pair("thread_local", """
        public class B { static final ThreadLocal<Object> T = new ThreadLocal<>() {
          protected Object initialValue() { return [[1||2]]; } }; public Object run() { return T.get(); } }"""),
    Pair("timer", """
        public class B { public Object run() throws Exception { SynchronousQueue<Object> q = new SynchronousQueue<>();
          java.util.Timer t = new java.util.Timer(true); t.schedule(new Tick(q), 1); Object o = q.take(); t.cancel(); return o; } }
        class Tick extends TimerTask { final SynchronousQueue<Object> q; Tick(SynchronousQueue<Object> q) { this.q = q; }
          public void run() { try { q.put([[1||2]]); } catch (InterruptedException e) { } } }"""),
    Pair("thread_run", """
        public class B { static volatile int v; public Object run() throws Exception { Thread t = new T(); t.start(); t.join(); return v; } }
        class T extends Thread { public void run() { B.v = [[1||2]]; } }"""),
    Pair("uncaught", """
        public class B { static volatile int v; public Object run() throws Exception {
          Thread t = new Thread(() -> { throw new IllegalStateException(); });
          t.setUncaughtExceptionHandler(new H()); t.start(); t.join(); return v; } }
        class H implements Thread.UncaughtExceptionHandler { public void uncaughtException(Thread t, Throwable e) { B.v = [[1||2]]; } }"""),
    Pair("shutdown_hook", """
        public class B { public Object run() { Thread h = new Hook(); Runtime.getRuntime().addShutdownHook(h);
          Runtime.getRuntime().removeShutdownHook(h); return 1; } }
        class Hook extends Thread { public void run() { System.out.print([[1||2]]); } }""", proven=False),
    Pair("finalizer", """
        public class B { public Object run() { new F(); return 1; } }
        class F { protected void finalize() { System.out.print([[1||2]]); } }""", proven=False),
    Pair("cleaner", """
        public class B { static final java.lang.ref.Cleaner C = java.lang.ref.Cleaner.create();
          public Object run() { C.register(new Object(), new Job()).clean(); return Job.v; } }
        class Job implements Runnable { static int v; public void run() { v = [[1||2]]; } }"""),
)  # fmt: skip

CALLS = (
    Pair("record_order", """
        public class B { public Object run() { return new Rec(3, 4).toString(); } }
        record Rec([[int a, int b||int b, int a]]) { }"""),
    Pair("record_compact", """
        public class B { public Object run() { return new Rec(3).a(); } }
        record Rec(int a) { Rec { a = [[a||-a]]; } }"""),
    Pair("enum_order", """
        public class B { public Object run() { return Sw.f(Col.B); } }
        enum Col { [[A, B, C||B, A, C]] }
        class Sw { static Object f(Col c) { switch (c) { case A: return 1; case B: return c.ordinal(); default: return 3; } } }"""),
    Pair("enum_values", """
        public class B { public Object run() { return EnumSet.allOf(Col.class).toString(); } }
        enum Col { A, B [[||, C]] }"""),
    Pair("enum_value_of", """
        public class B { public Object run() { try { return Enum.valueOf(Col.class, "C"); } catch (Exception e) { return 0; } } }
        enum Col { A, B [[||, C]] }"""),
    Pair("enum_body", """
        public class B { public Object run() { return new TreeMap<>(Map.of(Col.A, 1)).firstKey().f(); } }
        enum Col { A { Object f() { return [[1||2]]; } }; abstract Object f(); }"""),
    Pair("string_switch", """
        public class B { public Object run() { return Sw.f("b"); } }
        class Sw { static int f(String s) { switch (s) { case "[[a||b]]": return 1; default: return 2; } } }"""),
    Pair("default_method", """
        public class B { public Object run() { return new Impl().d(); } }
        interface Df { default int d() { return [[1||2]]; } } class Impl implements Df { }"""),
    Pair("added_override", """
        public class B { public Object run() { Base b = new Impl(); return b.d(); } }
        class Base { int d() { return 1; } } class Impl extends Base { [[||int d() { return 2; }]] }"""),
    Pair("removed_override", """
        public class B { public Object run() { Base b = new Impl(); return b.d(); } }
        class Base { int d() { return 1; } } class Impl extends Base { [[int d() { return 2; }||]] }"""),
    Pair("added_to_middle", """
        public class B { public Object run() { Base b = new Impl(); return b.d(); } }
        class Base { int d() { return 1; } } class Mid extends Base { [[||int d() { return 2; }]] } class Impl extends Mid { }"""),
    Pair("marker_interface", """
        public class B { public Object run() { Object o = new Impl(); return o instanceof Marker; } }
        interface Marker { } class Impl [[||implements Marker]] { }"""),
    Pair("other_parent", """
        public class B { public Object run() { return new Impl().d(); } }
        class One { int d() { return 1; } } class Two { int d() { return 2; } } class Impl extends [[One||Two]] { }"""),
    Pair("gained_default", """
        public class B { public Object run() { Object o = new Impl(); return o instanceof Sized ? ((Sized) o).size() : 0; } }
        interface Sized { default int size() { return 1; } } class Impl [[||implements Sized]] { }"""),
    Pair("template", """
        public class B { public Object run() { return new Impl().all(); } }
        abstract class T { Object all() { return "x" + step(); } abstract int step(); }
        class Impl extends T { int step() { return [[1||2]]; } }"""),
    Pair("bridge", """
        public class B { public Object run() { Function<String, Object> f = new F(); return f.apply("a"); } }
        class F implements Function<String, Object> { public Integer apply(String s) { return [[1||2]]; } }"""),
    Pair("nest_mate", """
        public class B { public Object run() { return new In().g(); } private int h() { return [[1||2]]; }
          static class In { int g() { return new B().h(); } } }"""),
    Pair("static_start", """
        public class B { public Object run() { return Cl.v; } } class Cl { static int v; static { v = [[1||2]]; } }"""),
    Pair("interface_start", """
        public class B { public Object run() { return new Impl().d() + B.v; } static int v; }
        interface I { int K = B.v = [[1||2]]; default int d() { return 0; } } class Impl implements I { }"""),
    Pair("constant_inlined", """
        public class B { public Object run() { return User.f(); } }
        interface K { int V = [[1||2]]; } class User { static int f() { return K.V; } }"""),
    Pair("lambda", """
        public class B { public Object run() { return L.S.get(); } }
        class L { static final IntSupplier I = () -> [[1||2]]; static final Supplier<Object> S = () -> I.getAsInt(); }"""),
    Pair("method_reference", """
        public class B { public Object run() { Supplier<Object> s = new Sub()::m; return s.get(); } Object m() { return 0; } }
        class Sub extends B { Object m() { return [[1||2]]; } }"""),
    Pair("constructor_reference", """
        public class B { public Object run() { Supplier<M> s = M::new; return CompletableFuture.supplyAsync(s).join().v; } }
        class M { int v = [[1||2]]; }"""),
    Pair("lambda_default", """
        public class B { public Object run() { Op o = () -> 3; return o.twice(); } }
        interface Op { int get(); default int twice() { return [[2||3]] * get(); } }"""),
    Pair("static_hides", """
        public class B { public Object run() { return Sub.f(); } }
        class Base { static int f() { return 1; } } class Sub extends Base { [[||static int f() { return 2; }]] }"""),
    Pair("field_hides", """
        public class B { public Object run() { return Sub.f; } }
        class Base { static int f = 1; } class Sub extends Base { [[||static int f = 2;]] }"""),
    Pair("library_bump", """
        public class B { public Object run() { return new Json().write(new int[3]); } }
        class Json { Object write(int[] a) { return Writers.of(a).write(a); } }
        abstract class Writers { static Writers of(Object o) { return o instanceof int[] ? new Ints() : new Other(); } abstract Object write(Object o); }
        class Ints extends Writers { Object write(Object o) { return [[1||2]]; } } class Other extends Writers { Object write(Object o) { return 0; } }"""),
)  # fmt: skip

CALLBACKS = (
    Pair("to_string", """
        public class B { public Object run() { return "a" + new T(); } } class T { public String toString() { return "[[1||2]]"; } }"""),
    Pair("comparable", """
        public class B { public Object run() { T[] a = {new T(1), new T(2)}; Arrays.sort(a); return a[0].i; } }
        class T implements Comparable<T> { int i; T(int i) { this.i = i; } public int compareTo(T t) { return [[i - t.i||t.i - i]]; } }"""),
    Pair("comparator", """
        public class B { public Object run() { List<Integer> a = new ArrayList<>(List.of(1, 2)); a.sort(new C()); return a; } }
        class C implements Comparator<Integer> { public int compare(Integer a, Integer b) { return [[a - b||b - a]]; } }"""),
    Pair("hash_code", """
        public class B { public Object run() { Map<Object, Object> m = new HashMap<>(); m.put(new K(), 1); return m.hashCode(); } }
        class K { public int hashCode() { return [[1||2]]; } public boolean equals(Object o) { return true; } }"""),
    Pair("equals_", """
        public class B { public Object run() { return new HashSet<>(Arrays.asList(new K(), new K())).size(); } }
        class K { public int hashCode() { return 1; } public boolean equals(Object o) { return [[true||false]]; } }"""),
    Pair("iterator_", """
        public class B { public Object run() { Object o = null; for (Object x : new It()) o = x; return o; } }
        class It implements Iterable<Object> { public Iterator<Object> iterator() { return new Iterator<>() { int n;
          public boolean hasNext() { return n < 1; } public Object next() { n++; return [[1||2]]; } }; } }"""),
    Pair("spliterator_", """
        public class B { public Object run() { return StreamSupport.stream(new It().spliterator(), false).count(); } }
        class It extends AbstractList<Integer> { public Integer get(int i) { return i; } public int size() { return [[3||4]]; } }"""),
    Pair("input_stream", """
        public class B { public Object run() throws Exception { return new In().readAllBytes().length; } }
        class In extends InputStream { int n; public int read() { return n++ < [[3||4]] ? 1 : -1; } }"""),
    Pair("closeable", """
        public class B { static int v; public Object run() throws Exception { try (C c = new C()) { } return v; } }
        class C implements AutoCloseable { public void close() { B.v = [[1||2]]; } }"""),
    Pair("char_sequence", """
        public class B { public Object run() { return String.join("-", new C(), "x"); } }
        class C implements CharSequence { public int length() { return 1; } public char charAt(int i) { return 'a'; }
          public CharSequence subSequence(int a, int b) { return this; } public String toString() { return "[[a||b]]"; } }"""),
    Pair("clone_", """
        public class B { public Object run() throws Exception { return new C().copy().v; } }
        class C implements Cloneable { int v; C copy() throws Exception { return (C) clone(); }
          protected Object clone() throws CloneNotSupportedException { C c = (C) super.clone(); c.v = [[1||2]]; return c; } }"""),
    Pair("fork_join", """
        public class B { public Object run() { return ForkJoinPool.commonPool().invoke(new T()); } }
        class T extends RecursiveTask<Object> { protected Object compute() { return [[1||2]]; } }"""),
    Pair("collector", """
        public class B { public Object run() { return Stream.of(1).collect(Collector.of(ArrayList::new, new Acc(), (a, b) -> a)); } }
        class Acc implements BiConsumer<List<Object>, Integer> { public void accept(List<Object> l, Integer i) { l.add(i + [[1||2]]); } }"""),
    Pair("class_value", """
        public class B { static final ClassValue<Object> V = new ClassValue<>() { protected Object computeValue(Class<?> c) { return [[1||2]]; } };
          public Object run() { return V.get(String.class); } }"""),
    Pair("proxy", """
        interface I { Object f(); }
        public class B { public Object run() { return ((I) Proxy.newProxyInstance(B.class.getClassLoader(), new Class<?>[] {I.class}, new H())).f(); } }
        class H implements InvocationHandler { public Object invoke(Object p, Method m, Object[] a) { return [[1||2]]; } }"""),
    Pair("get_message", """
        public class B { public Object run() { return new RuntimeException(new X()).toString(); } }
        class X extends Exception { public String getMessage() { return "[[1||2]]"; } }"""),
    Pair("number", """
        public class B { public Object run() { return Stream.of(new N()).mapToInt(Number::intValue).sum(); } }
        class N extends Number { public int intValue() { return [[1||2]]; } public long longValue() { return 0; }
          public float floatValue() { return 0; } public double doubleValue() { return 0; } }"""),
    Pair("format_to", """
        public class B { public Object run() { return String.format("%s", new F()); } }
        class F implements Formattable { public void formatTo(Formatter f, int a, int b, int c) { f.format("[[1||2]]"); } }"""),
)  # fmt: skip
