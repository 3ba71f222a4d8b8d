// What record.sh runs with vitest 5.
import { describe, test } from "vitest";

test("work", async ({ bench }) => {
  await bench("work", () => {}).run({ time: 1 });
});
describe("small", () => {
  test("all", async ({ bench }) => {
    await bench.compare(bench("one", () => {}), bench("two", () => {}), { time: 1 });
  });
});
