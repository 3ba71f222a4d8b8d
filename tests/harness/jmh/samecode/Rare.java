package suite;

public class Bench {
    static Rare kept;

    static int act(int n) {
        int sum = n;
        for (Op op : new Op[] {new Add(), new Sub()}) { sum += op.act(sum) + op.twice(sum); }
        Odd odd = none();
        return odd == null ? sum : odd.odd(sum);
    }

    static Odd none() { return null; }

    /** Nobody calls it. To check it, the JVM compares Rare with Op. */
    static Op rare() { return new Rare(1); }
    // METHODS
}

@interface Tagged { Class<?> type() default Add.class; }

interface Marker {}

abstract class Op {
    abstract int act(int n);

    int twice(int n) { return act(act(n)); }
}

class Add extends Op { @Override int act(int n) { return n + 1; } }

class Sub extends Op { @Override int act(int n) { return n - 1; } }

abstract class Odd extends Op { abstract int odd(int n); }

class Rare extends Odd {
    static int made = 1;
    int weight;

    Rare(int weight) { this.weight = weight; }

    @Override int act(int n) { return n * weight; }

    @Override int odd(int n) { return n + 5; }
}

abstract class Evener extends Odd { @Override int act(int n) { return n; } }

class Rarer extends Rare { Rarer() { super(3); } }
