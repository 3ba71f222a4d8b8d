// Loaded into each process of Node (NODE_OPTIONS), it lists the tasks of tinybench or measures one.
//
// STEADY_LISTING: a file for their names, a line of JSON each; every task runs only once.
// STEADY_BENCHMARK, STEADY_RESULT: the task to measure, and the file for its results.
// STEADY_RUNS, STEADY_MILLISECONDS: number of runs of tinybench, and the duration of each.
//
// tinybench sorts its samples, so their order is lost. Several short runs, one after the other,
// show when a process reaches steady state.

import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import * as modules from "node:module";
import { relative } from "node:path";

const { STEADY_LISTING: listing, STEADY_BENCHMARK: wanted, STEADY_RESULT: result } = process.env;
const benches = new WeakMap(); // the Bench of each task that was added to one
const names = new WeakMap();
const taken = new Map();
const tasksOfVitest = new WeakMap(); // by their functions
let isDone = false;

// Before version 5, vitest gives tinybench a task without the names of its groups. It stores the
// function of each of its own tasks in a WeakMap. We observe this until the first task runs.
const { set } = WeakMap.prototype;
WeakMap.prototype.set = function (key, value) {
  if (typeof value === "function" && key?.meta?.benchmark) set.call(tasksOfVitest, value, key);
  return set.call(this, key, value);
};

function groupsOf(task, bench) {
  const vitest = globalThis.__vitest_worker__;
  if (!vitest) return bench.name ? [bench.name] : [];
  const file = relative(vitest.config?.root ?? process.cwd(), vitest.filepath);
  if (benches.has(task)) return [file, bench.name.replace(/ \d+$/, "")];
  const groups = [];
  let group = tasksOfVitest.get(task.fn)?.suite;
  for (; group && !group.filepath; group = group.suite) groups.unshift(group.name);
  return [file, ...groups];
}

function nameOf(task, bench) {
  if (!names.has(task)) {
    const name = [...groupsOf(task, bench), task.name].join(" > ");
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    names.set(task, count > 1 ? `${name} #${count}` : name);
  }
  return names.get(task);
}

// Yields before each run of the task by tinybench.
function* runs(task) {
  WeakMap.prototype.set = set;
  const bench = benches.get(task) ?? task.bench;
  const name = nameOf(task, bench);
  if (listing) appendFileSync(listing, `${JSON.stringify(name)}\n`);
  const isMeasured = name === wanted && !isDone;
  const isNeeded = benches.has(task) && !bench.tasks.some((one) => names.get(one) === wanted);
  if (!isMeasured && (isDone || !isNeeded)) return;
  bench.iterations = 1;
  bench.time = isMeasured ? Number(process.env.STEADY_MILLISECONDS) : 0;
  const samples = [];
  let error;
  for (let left = isMeasured ? Number(process.env.STEADY_RUNS) : 1; left > 0 && !error; left--) {
    task.reset();
    const step = { isMeasured };
    yield step;
    const found = step.own ?? task.result;
    error = found?.error;
    if (!error) samples.push((found.latency ?? found).mean);
  }
  if (!isMeasured) return;
  const entry = error ? { name, error: String(error) } : { name, latency: { samples } };
  writeFileSync(result, JSON.stringify({ tinybench: [entry] }));
  isDone = true;
  if (!globalThis.__vitest_worker__) process.exit(0);
}

// Without the sorting of version 2, which takes half a second for a million samples.
async function looped(task) {
  await task.bench.setup(task, "run");
  const { samples, error } = await task.loop(task.bench.time, task.bench.iterations);
  await task.bench.teardown(task, "run");
  return { error, mean: error ? NaN : samples.reduce((sum, one) => sum + one) / samples.length };
}

globalThis.steadyTinybench = ({ Bench, Task }) => {
  if (!Bench || !Task || Object.hasOwn(Bench, "isOfSteady")) return;
  Bench.isOfSteady = true;
  const { add } = Bench.prototype;
  const { run, runSync } = Task.prototype;
  Bench.prototype.add = function (name, ...more) {
    const added = add.call(this, name, ...more);
    const task = this.getTask(name);
    benches.set(task, this);
    nameOf(task, this);
    return added;
  };
  Task.prototype.warmup = async () => {};
  Task.prototype.warmupSync = () => {};
  Task.prototype.run = async function () {
    for (const step of runs(this)) {
      if (step.isMeasured && this.loop) step.own = await looped(this);
      else await run.call(this);
    }
    return this;
  };
  Task.prototype.runSync = function () {
    for (const _ of runs(this)) runSync.call(this);
    return this;
  };
};

// If there is a result, failures of skipped tasks are ignored.
process.on("exit", () => {
  if (result && existsSync(result)) process.exitCode = 0;
});

// A module can import itself, so tinybench passes its exports to steady, wherever it is installed.
function handingOver(url, loaded) {
  if (loaded.format !== "module" || !/\/tinybench\/dist\/[^/]*\.m?js$/.test(url)) return loaded;
  const { source } = loaded;
  const text = typeof source === "string" ? source : new TextDecoder().decode(source);
  const own = `import * as steadyOwn from ${JSON.stringify(url)};`;
  return { ...loaded, source: `${text}\n${own}globalThis.steadyTinybench?.(steadyOwn);` };
}

if (modules.registerHooks) {
  modules.registerHooks({ load: (url, context, next) => handingOver(url, next(url, context)) });
} else {
  const hook = `${handingOver}
    export const load = async (url, context, next) => handingOver(url, await next(url, context));`;
  modules.register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
const load = modules.Module._load;
modules.Module._load = function (request, ...more) {
  const loaded = load.call(this, request, ...more);
  if (request === "tinybench") globalThis.steadyTinybench(loaded);
  return loaded;
};
