package org.acme.core;

import java.util.*;
import java.util.function.*;

public class Unreached {
    static int total;
    public static int parse(int n) { return n + /*<*/1/*=*/step(n)/*>*/; }
    static int step(int n) { return n * /*<*/2/*=*/3/*>*/; }
    public static void skip(int n, String... words) { total += /*<*/1/*=*/2/*>*/; }
    public static void kept() { total += 3; }
    static int each(List<Integer> list) { int[] sum = {0}; list.forEach(x -> sum[0] += x + /*<*/1/*=*/2/*>*/); return sum[0]; }
    static Runnable lazily() { return () -> { Supplier<Integer> inner = () -> total + /*<*/1/*=*/2/*>*/; total = inner.get(); }; }
    public static int all(int n) {
        Shape shape = n > 0 ? new Round() : new Square();
        return parse(n) + each(List.of(n)) + shape.area();
    }
}

interface Shape { int area(); }
class Round implements Shape { public int area() { return /*<*/3/*=*/4/*>*/; } }
class Square implements Shape { public int area() { return /*<*/1/*=*/2/*>*/; } }
class Hidden implements Shape { public int area() { return /*<*/1/*=*/2/*>*/; } }
class Order implements Comparable<Order> {
    int rank;
    public int compareTo(Order other) { return rank - other.rank + /*<*/0/*=*/1/*>*/; }
}
class Typed implements Supplier<String> { public /*<*/Object/*=*/String/*>*/ nothing; public String get() { return "/*<*/a/*=*/b/*>*/"; } }
enum Color { RED, GREEN/*<*//*=*/, BLUE/*>*/ }
record Point(int x/*<*//*=*/, int y/*>*/) { int sum() { return x; } }
class Gone { /*<*/void gone() { }/*=*//*>*/ }
class ParserTest { int test() { return /*<*/1/*=*/2/*>*/; } }
/*<*//*=*/class Added { Added() { Unreached.total++; } static int one() { return 1; } }/*>*/
