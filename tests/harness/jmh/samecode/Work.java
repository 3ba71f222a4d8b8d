package suite;

import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.IntUnaryOperator;

/** What a benchmark calls, and what it does not. */
public class Bench {
    public static int one() throws Exception {
        Work work = new Work();
        List<Work> works = new ArrayList<>(List.of(work, new Work()));
        Collections.sort(works);
        new Thread(work).start();
        IntUnaryOperator twice = value -> value * 2;
        IntUnaryOperator more = work::more;
        return work.used(twice, more) + Level.HIGH.ordinal() + ((Named) work).title().length()
                + ("" + work).length() + Library.used();
    }
}

enum Level { LOW, HIGH }

@Retention(RetentionPolicy.RUNTIME)
@interface Marked {
    int value() default 1;
}

interface Named {
    default String title() { return "title"; }

    default String subtitle() { return "subtitle"; }
}

abstract class Shape {
    int area() { return 4; }

    int outline() { return 5; }
}

@Marked
class Work extends Shape implements Comparable<Work>, Runnable, Named, Serializable {
    static final int LIMIT = 7;
    static int started = 1;
    int count;

    Work() { count = 1; }

    int used(IntUnaryOperator one, IntUnaryOperator other) {
        return one.applyAsInt(other.applyAsInt(helper())) + area() + LIMIT;
    }

    private int helper() { return 1; }

    int more(int value) { return value + 1; }

    int unused() { return outline() + 2; }

    static int unusedToo(Work work) { return work.unused(); }

    @Override
    public int compareTo(Work other) { return count - other.count; }

    @Override
    public void run() { started = 2; }

    private void readObject(java.io.ObjectInputStream stream) { count = 3; }
}

class Provider implements Named {
    public Provider() { Library.loaded = 1; }
}

class Library {
    static int loaded;

    static int used() throws Exception { return loaded; }

    int apart() { return 1; }
}
