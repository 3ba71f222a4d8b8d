package sample;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

@Sample.Mark(value = 3, names = {"a", "b"}, kind = Sample.Kind.LOW, nested = @Deprecated, type = List.class)
public class Sample<T extends Comparable<T>> implements Supplier<T> {

    static final long LARGE = 12345678901L;
    static final double RATIO = 0.125;
    static final String TEXT = "é and \u0000";
    private final T value;
    @Deprecated protected transient volatile int number = 77;

    public Sample(T value) {
        this.value = value;
    }

    @Override
    public T get() {
        return value;
    }

    public int dense(int key) {
        switch (key) {
            case 1: return 10;
            case 2: return 20;
            case 3: return 30;
            default: return -1;
        }
    }

    public int sparse(String key) {
        switch (key) {
            case "one": return 1;
            case "thousand": return 1000;
            default: return key.length();
        }
    }

    public long wide(@Deprecated long seed) throws IOException {
        long sum = seed;
        for (int i = 0; i < 1000; i += 2) {
            sum = sum * 31 + i ^ LARGE;
        }
        try (java.io.StringReader reader = new java.io.StringReader("x")) {
            sum += reader.read();
        } catch (IllegalStateException | ArithmeticException error) {
            sum -= 1;
        } finally {
            sum++;
        }
        return sum;
    }

    public List<String> lambdas(Map<String, Integer> counts) {
        Function<Integer, String> text = n -> "n=" + n + TEXT;
        List<String> texts = new ArrayList<>();
        counts.values().stream().map(text).forEach(texts::add);
        int[][] grid = new int[3][4];
        Object inner = new Object() {
            @Override
            public String toString() {
                return "anonymous " + grid[1][2];
            }
        };
        texts.add(inner.toString());
        return texts;
    }

    public boolean is(Object other) {
        assert other != this;
        return other instanceof Sample && ((Sample<?>) other).number == number;
    }

    static <@Note U> @Note U noted(@Note U one) {
        @Note Object local = one;
        return one;
    }

    enum Kind { LOW, HIGH }

    interface Shape {
        double area();

        default double twice() {
            return 2 * area();
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        int value() default 1;

        String[] names() default {};

        Kind kind();

        Deprecated nested();

        Class<?> type();
    }

    @java.lang.annotation.Target({
        java.lang.annotation.ElementType.TYPE_USE, java.lang.annotation.ElementType.TYPE_PARAMETER
    })
    @Retention(RetentionPolicy.RUNTIME)
    @interface Note {}
}
