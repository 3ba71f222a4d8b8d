// What record.sh runs with vitest.
import { bench, describe } from "vitest";

bench("work", () => {}, { time: 1 });
describe("small", () => {
  bench("work", () => {}, { time: 1 });
});
