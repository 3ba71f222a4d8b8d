// Prices of a small shop.

/** Format a price in cents, such as 12,345.67. */
export function price(cents) {
  const units = Math.floor(cents / 100).toLocaleString("en-US");
  return `${units}.${String(cents % 100).padStart(2, "0")}`;
}

/** Return the sum of quantities times cents. */
export function total(lines) {
  return lines.reduce((sum, [quantity, cents]) => sum + quantity * cents, 0);
}
