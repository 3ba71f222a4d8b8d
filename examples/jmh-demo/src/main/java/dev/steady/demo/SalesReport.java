package dev.steady.demo;

import java.util.List;
import java.util.Locale;

/** A table for people: fixed columns, made with {@link String#format}. */
public final class SalesReport {

    private SalesReport() {
    }

    public static String render(List<Order> orders) {
        StringBuilder out = new StringBuilder();
        long sum = 0;
        for (Order order : orders) {
            long cents = order.totalCents();
            sum += cents;
            out.append(String.format(Locale.ROOT, "%06d  %-24s %-16s %3d %12.2f%n",
                    order.id(), order.customer(), order.city(), order.lines().size(), cents / 100.0));
        }
        return out.append(String.format(Locale.ROOT, "%,60d%n", sum)).toString();
    }
}
