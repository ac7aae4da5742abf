// npm run bench:traffic-experts [-- TRANSPORT [LAUNCHES [RANKS]]]: moe's dispatch and combine, each beside an alltoallv with the same bytes
// between the same ranks. All are points of one run, so that the same processes measure them in turn. Prints the ratio of their times,
// with its interval over launches, also of the step that moves rows alone, which is all that an alltoallv does.
// A dispatch sends rows that it has just written. A combine sends outputs that no operation changes, as an alltoallv does, so receivers
// of both find them in caches: where only the dispatch takes longer than the alltoallv, this is the reason.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median, quantile } from 'simple-statistics';
import { readOptions } from '../../bin/line/read-options.ts';
import { runTools } from '../../bin/run-tools.ts';
import type { PreparedPlan } from '../../orchestration/preparing/prepare.ts';
import type { RunOutput } from '../../orchestration/running/output.ts';
import { measurePlan, withPrepared } from '../../orchestration/running/run.ts';
import { operationTimes } from '../../results/derive/cells/operation-times.ts';
import { workloadOf } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import { signInterval } from './sign-interval.ts';

const [transport = 'shm', launches = '24', ranks = '4'] = process.argv.slice(2);
const sampling = ['--transport', transport, '--ranks', ranks, '--launches', launches, '--iters', '20'];
const shape = ['--tokens', '128', '--hidden', '512', '--experts', '32', '--topk', '4'];
const routings = ['uniform', 'zipf:1.2'];
const silent: RunOutput = {
  begin: () => undefined,
  cell: () => undefined,
  note: (text) => console.error(text),
  progress: () => undefined,
  end: () => undefined,
};

const prepared = (words: readonly string[], work: Parameters<typeof withPrepared>[1]) => {
  const [name = '', ...rest] = words;
  return withPrepared({ command: commandNamed(name), words: rest, options: readOptions(name, rest) }, work);
};

/** Adds the points of another plan, so that one run measures both. */
function join(plan: PreparedPlan['plan'], other: PreparedPlan['plan']): void {
  plan.points.push(...other.points);
  plan.workloads.push(
    ...other.workloads.filter(({ name }) => plan.workloads.every((one) => one.name !== name)),
  );
  plan.expected.cells += other.expected.cells;
  plan.expected.checks += other.expected.checks;
}

/** Times of one point, in ns: of whole operations by launch, and of the steps of all operations on rank 0. */
interface PointTimes {
  byLaunch: Map<number, number[]>;
  /** The step that moves rows (dispatching, returning), on rank 0, by launch. */
  movesByLaunch: Map<number, number[]>;
  steps: Map<string, number[]>;
}

const moveSteps = ['dispatching', 'returning'];

async function timesOf(dir: string, points: number): Promise<PointTimes[]> {
  const found = Array.from(
    { length: points },
    (): PointTimes => ({
      byLaunch: new Map(),
      movesByLaunch: new Map(),
      steps: new Map(),
    }),
  );
  for await (const block of (await openRun(dir)).blocks()) {
    const times = found[block.point];
    if (block.trial !== 'isolated' || times === undefined) continue;
    const wholes = operationTimes(block).ns;
    const steps = new Map(Object.entries(block.columns ?? {}).map(([name, [own = []]]) => [name, own]));
    for (const [name, own] of steps) times.steps.set(name, [...(times.steps.get(name) ?? []), ...own]);
    times.byLaunch.set(block.launch, [...(times.byLaunch.get(block.launch) ?? []), ...wholes]);
    const moves = moveSteps.flatMap((name) => steps.get(name) ?? []);
    times.movesByLaunch.set(block.launch, [...(times.movesByLaunch.get(block.launch) ?? []), ...moves]);
  }
  return found;
}

/** Lower quartile: operations that other programs delayed lie above it. */
const low = (values: readonly number[]): number => quantile([...values], 0.25);

/** Median of the launches' ratios, with its interval. */
function ratioText(own: ReadonlyMap<number, number[]>, other: ReadonlyMap<number, number[]>): string {
  const ratios = [...own].flatMap(([launch, values]) => {
    const beside = other.get(launch);
    return beside === undefined ? [] : [low(values) / low(beside)];
  });
  const { low: from, high: to, coverage } = signInterval(ratios);
  return `${median(ratios).toFixed(2)} (${from.toFixed(2)} to ${to.toFixed(2)}, ${Math.round(100 * coverage)} %)`;
}

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-experts-'));
try {
  const phases = ['moe', '--phase', 'dispatch,combine', '--routing', routings.join(), ...shape, ...sampling];
  const names: string[] = [];
  await prepared(phases, async (whole, nodes) => {
    const { plan } = whole;
    const files = plan.points.map((point, i) => {
      names.push(`${point.axes.routing}, ${point.axes.phase}`);
      const file = path.join(folder, `matrix-${i}.txt`);
      const matrix = workloadOf(point.workload).trafficOf?.(point) ?? [];
      writeFileSync(file, matrix.map((row) => row.join(' ')).join('\n'));
      return file;
    });
    await prepared(['alltoallv', '--matrix', files.join(), ...sampling], async (other) =>
      join(plan, other.plan),
    );
    await measurePlan(whole, nodes, {
      out: path.join(folder, 'run'),
      tools: runTools,
      outputsFor: () => ({ outputs: [silent] }),
    });
  });
  const times = await timesOf(path.join(folder, 'run'), 2 * names.length);
  for (const [i, name] of names.entries()) {
    const [moe, plain] = [times[i], times[names.length + i]];
    if (moe === undefined || plain === undefined) throw new Error(`${name}: not measured`);
    const steps = [...moe.steps].map(([step, ns]) => `${step} ${(low(ns) / 1e3).toFixed(1)} us`);
    const plainUs = low([...plain.byLaunch.values()].flat()) / 1e3;
    console.log(
      `${transport}, ${ranks} ranks, ${name}, ${moe.byLaunch.size} launches: ${ratioText(moe.byLaunch, plain.byLaunch)} times as long as alltoallv (${plainUs.toFixed(1)} us), ${moveSteps.find((step) => moe.steps.has(step))} alone ${ratioText(moe.movesByLaunch, plain.byLaunch)}. Lower quartiles on rank 0: ${steps.join(', ')}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
