package dev.steady.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** An immutable order of one customer. */
public record Order(long id, String customer, String city, List<OrderLine> lines) {

    public Order {
        Objects.requireNonNull(customer, "customer");
        Objects.requireNonNull(city, "city");
        lines = List.copyOf(lines);
    }

    public long totalCents() {
        long total = 0;
        for (OrderLine line : lines) {
            total += line.totalCents();
        }
        return total;
    }

    public static Builder builder(long id) {
        return new Builder(id);
    }

    /** Collects the parts of an order in any sequence. */
    public static final class Builder {
        private final long id;
        private final List<OrderLine> lines = new ArrayList<>();
        private String customer;
        private String city;

        private Builder(long id) {
            this.id = id;
        }

        public Builder customer(String name) {
            customer = name;
            return this;
        }

        public Builder city(String name) {
            city = name;
            return this;
        }

        public Builder line(String product, int quantity, long unitPriceCents) {
            lines.add(new OrderLine(product, quantity, unitPriceCents));
            return this;
        }

        public Order build() {
            return new Order(id, customer, city, lines);
        }
    }
}
