package dev.steady.demo;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Amounts as an accountant wants them: decimal, every position rounded on its own. */
public final class Invoice {

    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private Invoice() {
    }

    /** The order's total with tax, after a discount in per cent on every position. */
    public static BigDecimal total(Order order, BigDecimal taxRate, BigDecimal discount) {
        BigDecimal factor = HUNDRED.subtract(discount).divide(HUNDRED, 4, RoundingMode.HALF_UP);
        BigDecimal total = BigDecimal.ZERO;
        for (OrderLine line : order.lines()) {
            BigDecimal net = BigDecimal.valueOf(line.unitPriceCents(), 2)
                    .multiply(BigDecimal.valueOf(line.quantity()))
                    .multiply(factor)
                    .setScale(2, RoundingMode.HALF_UP);
            BigDecimal tax = net.multiply(taxRate).setScale(2, RoundingMode.HALF_UP);
            total = total.add(net).add(tax);
        }
        return total;
    }
}
