// Tasks of every kind, for the tests.
import { Bench } from "tinybench";
import { work } from "./work.mjs";

const first = new Bench({ time: 5 });
first.add("total", () => Array.from({ length: work }, (_, index) => index).sort());
await first.run();
if (first.tasks.some((task) => !task.result.latency)) throw new Error("these results are used");

const bench = new Bench({ name: "all", time: 5, retainSamples: true });
bench.add("total", () => Math.hypot(...Array(work).keys()));
bench.add("waits", () => new Promise((resolve) => setTimeout(resolve, 1)));
bench.add("odd > é\n'$(id)'", { work }.toString);
bench.add("fails", () => {
  throw new TypeError("no luck");
});
bench.add("hangs", async () => {
  if (process.env.STEADY_BENCHMARK?.endsWith("hangs")) await new Promise((resolve) => setTimeout(resolve, 60_000));
});
bench.add("dies", () => {
  if (process.env.STEADY_BENCHMARK?.endsWith("dies")) process.kill(process.pid, "SIGKILL");
});
await bench.run();

const again = new Bench({ name: "all" });
again.add("total", () => work);
again.runSync();
