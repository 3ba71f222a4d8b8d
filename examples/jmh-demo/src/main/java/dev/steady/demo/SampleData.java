package dev.steady.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The benchmarks' inputs, the same in every fork: seeds are fixed, and no order depends on an identity
 * hash code or on the salt of {@code Map.of}.
 */
final class SampleData {

    private static final String[] CITIES = {
        "Aarhus", "Bern", "Cork", "Dresden", "Evora", "Ghent", "Lund", "Oulu", "Pisa, Toscana", "Vigo"};
    private static final String[] PRODUCTS = {
        "paper A4", "pencil HB", "ruler 30 cm", "eraser", "\"Lund\" lamp", "folder, blue", "ink black", "stapler",
        "envelope C5", "notebook", "marker", "desk pad"};
    private static final String[] SYLLABLES = {
        "ka", "lo", "mi", "ren", "sto", "ta", "vel", "ur", "an", "bri", "den", "fo", "gar", "hel", "is", "jo"};

    private SampleData() {
    }

    static List<Order> orders(int count) {
        Random random = new Random(1);
        List<Order> orders = new ArrayList<>(count);
        for (int id = 1; id <= count; id++) {
            Order.Builder order = Order.builder(id)
                    .customer("customer " + word(random) + " " + word(random) + " " + random.nextInt(40))
                    .city(CITIES[random.nextInt(CITIES.length)]);
            for (int line = 1 + random.nextInt(6); line > 0; line--) {
                order.line(product(random), 1 + random.nextInt(9), 50 + random.nextInt(5000));
            }
            orders.add(order.build());
        }
        return orders;
    }

    static Order bigOrder(int lines) {
        Random random = new Random(2);
        Order.Builder order = Order.builder(1).customer("customer").city("Bern");
        for (int line = 0; line < lines; line++) {
            order.line(product(random), 1 + random.nextInt(9), 50 + random.nextInt(5000));
        }
        return order.build();
    }

    static List<Shape> shapes(int count) {
        Random random = new Random(3);
        List<Shape> shapes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            double a = 1 + random.nextDouble();
            double b = 1 + random.nextDouble();
            shapes.add(switch (random.nextInt(6)) {
                case 0 -> new Shape.Circle(a);
                case 1 -> new Shape.Square(a);
                case 2 -> new Shape.Rectangle(a, b);
                case 3 -> new Shape.Ellipse(a, b);
                case 4 -> new Shape.Triangle(a, b, (a + b) / 2);
                default -> new Shape.Trapezoid(a, b, 1);
            });
        }
        return shapes;
    }

    static String json(int orders) {
        StringBuilder out = new StringBuilder("[");
        for (Order order : orders(orders)) {
            out.append(out.length() > 1 ? ",\n" : "\n").append("  {\"id\": ").append(order.id())
                    .append(", \"customer\": \"").append(order.customer()).append("\", \"city\": \"")
                    .append(order.city()).append("\", \"paid\": ").append(order.id() % 3 == 0)
                    .append(", \"total\": ").append(order.totalCents() / 100.0).append(", \"lines\": [");
            for (OrderLine line : order.lines()) {
                out.append(line == order.lines().get(0) ? "" : ", ").append("{\"product\": \"")
                        .append(line.product().replace("\"", "\\\"")).append("\", \"quantity\": ")
                        .append(line.quantity()).append('}');
            }
            out.append("]}");
        }
        return out.append("\n]\n").toString();
    }

    static List<String> accessLog(int lines) {
        Random random = new Random(4);
        List<String> log = new ArrayList<>(lines);
        for (int i = 0; i < lines; i++) {
            log.add("10.0." + random.nextInt(256) + "." + random.nextInt(256) + " - " + word(random)
                    + " [07/Mar/2024:16:" + (10 + random.nextInt(50)) + ":02 +0000] \""
                    + (random.nextInt(4) == 0 ? "POST" : "GET") + " /" + word(random) + "/" + word(random)
                    + ".html HTTP/1.1\" " + (random.nextInt(5) == 0 ? 404 : 200) + " " + random.nextInt(90000)
                    + " \"-\" \"Browser/5.0 (" + word(random) + ")\"");
        }
        return log;
    }

    static String text(int words, int vocabulary) {
        Random random = new Random(5);
        String[] known = new String[vocabulary];
        for (int i = 0; i < vocabulary; i++) {
            known[i] = word(random) + word(random);
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < words; i++) {
            out.append(known[random.nextInt(vocabulary)]).append(' ');
        }
        return out.toString();
    }

    /** Titles of 64 letters: a shared start, a middle with {@code edited} letters of its own, a shared end. */
    static String[] titles(int count, int edited) {
        Random random = new Random(6);
        String[] titles = new String[count];
        for (int i = 0; i < count; i++) {
            StringBuilder title = new StringBuilder("the annual report on ".repeat(4).substring(0, 64));
            int start = (64 - edited) / 2;
            for (int j = start; j < start + edited; j++) {
                title.setCharAt(j, (char) ('a' + random.nextInt(26)));
            }
            titles[i] = title.toString();
        }
        return titles;
    }

    static Map<String, String> document(int fields, int valueLength) {
        Random random = new Random(7);
        Map<String, String> document = new LinkedHashMap<>();
        for (int i = 0; i < fields; i++) {
            document.put("field" + (100 + i), sentence(random, valueLength));
        }
        return document;
    }

    /** Requests for pages: a few pages are asked for often, most of them seldom. */
    static int[] skewed(int count, int pages) {
        Random random = new Random(8);
        int[] requests = new int[count];
        for (int i = 0; i < count; i++) {
            double u = random.nextDouble();
            requests[i] = (int) (pages * u * u * u);
        }
        return requests;
    }

    private static String product(Random random) {
        return PRODUCTS[random.nextInt(PRODUCTS.length)];
    }

    private static String sentence(Random random, int length) {
        StringBuilder out = new StringBuilder();
        while (out.length() < length) {
            out.append(word(random)).append(' ');
        }
        return out.substring(0, length);
    }

    private static String word(Random random) {
        StringBuilder out = new StringBuilder();
        for (int i = 2 + random.nextInt(2); i > 0; i--) {
            out.append(SYLLABLES[random.nextInt(SYLLABLES.length)]);
        }
        return out.toString();
    }
}
