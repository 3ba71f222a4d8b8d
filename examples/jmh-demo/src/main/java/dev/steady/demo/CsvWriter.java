package dev.steady.demo;

import java.util.List;

/** Writes orders as CSV (RFC 4180): one row a position, fields quoted only where they must be. */
public final class CsvWriter {

    private CsvWriter() {
    }

    public static String render(List<Order> orders) {
        StringBuilder out = new StringBuilder("order,customer,city,product,quantity,cents\r\n");
        for (Order order : orders) {
            for (OrderLine line : order.lines()) {
                out.append(order.id()).append(',');
                field(out, order.customer()).append(',');
                field(out, order.city()).append(',');
                field(out, line.product()).append(',');
                out.append(line.quantity()).append(',');
                out.append(line.totalCents()).append("\r\n");
            }
        }
        return out.toString();
    }

    private static StringBuilder field(StringBuilder out, String text) {
        if (!needsQuotes(text)) {
            return out.append(text);
        }
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                out.append('"');
            }
            out.append(c);
        }
        return out.append('"');
    }

    private static boolean needsQuotes(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ',' || c == '"' || c == '\r' || c == '\n') {
                return true;
            }
        }
        return false;
    }
}
