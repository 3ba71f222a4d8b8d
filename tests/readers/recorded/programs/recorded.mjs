// What record.sh runs with tinybench; it writes what docs/tinybench.md says.
import { writeFileSync } from "node:fs";
import { Bench } from "tinybench";

const bench = new Bench({ iterations: 5, retainSamples: true, time: 1, warmup: false });
bench.add("work", () => Array.from({ length: 100 }, (_, index) => index).sort());
bench.add("failing", () => {
  throw new Error("no luck");
});
await bench.run();

const tinybench = bench.tasks.map(({ name, result }) => ({ name, ...result }));
writeFileSync("tinybench.json", JSON.stringify({ tinybench }));
