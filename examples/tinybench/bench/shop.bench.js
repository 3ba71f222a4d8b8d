// Benchmarks for `npx vitest bench`.
import { bench, describe } from "vitest";
import { price, total } from "../shop.js";

bench("price", () => {
  price(1_234_567);
});

describe.each([10, 10_000])("%d lines", (count) => {
  const lines = Array.from({ length: count }, (_, index) => [index % 7, 50]);
  bench("total", () => {
    total(lines);
  });
});
