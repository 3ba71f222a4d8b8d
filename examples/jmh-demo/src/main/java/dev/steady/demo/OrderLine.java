package dev.steady.demo;

/** One position of an order; prices are whole cents. */
public record OrderLine(String product, int quantity, long unitPriceCents) {

    public OrderLine {
        if (quantity < 1) {
            throw new IllegalArgumentException("quantity must be at least 1, got " + quantity);
        }
    }

    public long totalCents() {
        return quantity * unitPriceCents;
    }
}
