import { nameOfRun } from '../../results/compare/names.ts';
import { engineRow, type LaunchRecord, type OkCell, type RunRecord } from '../../results/schema/index.ts';
import { rangeText, xOfPlan } from '../rows.ts';
import { type Group, isOk, type ReportedRun, type Series, xIn } from '../series.ts';
import {
  chosenText,
  fakeGpus,
  formatBytesAbout,
  formatCount,
  formatTime,
  formatTimeRange,
  joinWords,
} from '../wording.ts';
import { isFake, markNs } from './device.ts';
import { factList, type Html, html, table } from './markup.ts';

const micro = 'µs';

/** What NCCL was, what it was told, what it chose, which way it went, and what starting it cost. */
export function ncclSection(runs: readonly ReportedRun[], groups: readonly Group[]): Html | null {
  const mine = runs.filter((r) => engineRow(r.record.plan).library !== null);
  if (mine.length === 0) return null;
  return html`${mine.map(
    (run) => html`${runs.length > 1 ? html`<h3>Run ${nameOfRun(run.record)}</h3>` : ''}
${isFake(run) ? html`<div class="warn"><p>In this run ${fakeGpus}.</p></div>` : ''}
${library(run.record)}
${environmentTable(run.record)}
${chosenTable(groups.flatMap((g) => g.series.filter((s) => s.run.id === run.record.id).map((s) => ({ group: g, series: s }))))}
${launchTable(run)}`,
  )}`;
}

type Facts = Readonly<Record<string, string>>;

function factsOf(record: RunRecord): Facts[] {
  return record.launches.flatMap((l) => l.ranks.flatMap((r) => (r.facts === undefined ? [] : [r.facts])));
}

/** What a row is called, what a rank calls it, what the run's versions call it. */
const named: readonly (readonly [title: string, fact: string, version: string])[] = [
  ['NCCL', 'nccl.version', 'nccl'],
  ['library', 'nccl.path', 'nccl.path'],
  ['SHA-256', 'nccl.sha256', 'nccl.sha256'],
  ['found by', 'nccl.how', 'nccl.how'],
  ['driver', 'driver.release', 'driver'],
  ['CUDA of the driver', 'driver.version', 'driver.cuda'],
  ['NVRTC', 'nvrtc.path', 'nvrtc'],
  ['NVRTC missing', 'nvrtc.missing', ''],
  ['net plugin', 'net.plugin', ''],
  ['NVSHMEM', 'nvshmem.version', 'nvshmem'],
  ['NVSHMEM library', 'nvshmem.path', 'nvshmem.path'],
  ['nvcc', 'nvcc.path', 'nvcc'],
];

/** Each fact once; where ranks or launches differ, all that was said. */
function library(record: RunRecord): Html {
  const facts = factsOf(record);
  const all = (key: string) => joinWords([...new Set(facts.flatMap((f) => f[key] ?? []))]);
  const known = new Set([
    ...named.map(([, fact]) => fact),
    'gpu',
    'nccl.initNs',
    'nccl.memoryBytes',
    'hold.markNs',
    'gate.markNs',
  ]);
  const others = [...new Set(facts.flatMap((f) => Object.keys(f)))].filter(
    (key) => !known.has(key) && !key.startsWith('env.'),
  );
  const gpus = new Map(
    record.launches.flatMap((l) => l.ranks.map((r) => [r.rank, r.facts?.gpu ?? r.device] as const)),
  );
  const marks = facts.flatMap(markNs);
  if (facts.length === 0)
    return html`<p>The ranks reported no library: no launch of this run got that far.</p>`;
  return factList([
    ...named.map(([title, fact, version]) => [title, all(fact) || (record.versions[version] ?? '')] as const),
    ...[...gpus].sort(([a], [b]) => a - b).map(([rank, gpu]) => [`rank ${rank}`, gpu] as const),
    ['mark on the device', marks.length === 0 ? '' : formatTimeRange(marks, micro)],
    ...others.map((key) => [key, all(key)] as const),
  ]);
}

/** Variables that the engine set, per transport: rows are variables. */
function environmentTable(record: RunRecord): Html {
  const { transports } = record.plan;
  const set = transports.map((_, t) => {
    const mine = record.launches.filter((l) => l.transport === t);
    const values = new Map<string, Set<string>>();
    for (const [key, value] of mine.flatMap((l) => l.ranks.flatMap((r) => Object.entries(r.facts ?? {})))) {
      if (key.startsWith('env.'))
        values.set(key.slice(4), (values.get(key.slice(4)) ?? new Set()).add(value));
    }
    return values;
  });
  const names = [...new Set(set.flatMap((values) => [...values.keys()]))].sort();
  if (names.length === 0) return html``;
  const rows = names.flatMap((name) => {
    const byValue = new Map<string, string[]>();
    transports.forEach((t, i) => {
      const value = [...(set[i]?.get(name) ?? [])].join(' | ');
      if (value !== '') byValue.set(value, [...(byValue.get(value) ?? []), t.name]);
    });
    return [...byValue].map(([value, over]) => ({ name, value, over }));
  });
  return table(
    'Environment that the engine set for NCCL',
    [
      { head: 'variable', cell: (r: (typeof rows)[number]) => r.name },
      { head: 'value', cell: (r) => r.value },
      { head: 'over', cell: (r) => (r.over.length === transports.length ? 'all' : r.over.join(', ')) },
    ],
    rows,
  );
}

interface Told {
  group: Group;
  series: Series;
}

/** Algorithm, protocol and paths in stretches of sizes, and the verdict, one row per series and stretch. */
function chosenTable(all: readonly Told[]): Html {
  const rows = all.flatMap(({ group, series }) =>
    stretches(series).map(({ choice, xs, cells }, i) => ({
      title: i === 0 ? group.title : '',
      name: i === 0 ? series.name : '',
      emulated: series.medium === 'emulated',
      sizes: rangeText(group.x, xs),
      choice,
      cells,
    })),
  );
  if (rows.length === 0) return html``;
  type R = (typeof rows)[number];
  return table(
    'Algorithm, protocol and transport that NCCL chose, per series and range of sizes. Paths are connections between ranks as NCCL logged them; they belong to a launch, not to one size.',
    [
      { head: 'series', cell: (r: R) => r.title },
      {
        head: 'over',
        cell: (r: R) =>
          r.name !== '' && r.emulated ? html`${r.name} <span class="emu">emulated</span>` : r.name,
      },
      { head: `${all[0]?.group.x.noun}s`, cell: (r: R) => r.sizes },
      { head: 'algorithm/protocol', cell: (r: R) => r.choice || 'not said' },
      { head: 'paths seen', cell: (r: R) => pathsText(r.cells) },
      { head: 'evidence', cell: (r: R) => verdictText(r.cells) },
    ],
    rows,
    (r) => (r.name !== '' ? 'first' : ''),
  );
}

interface Stretch {
  choice: string;
  xs: number[];
  cells: OkCell[];
}

/** Neighbouring cells with the same choice. */
function stretches({ slots }: Series): Stretch[] {
  const found: Stretch[] = [];
  for (const { x, cell } of slots) {
    if (!isOk(cell)) continue;
    const choice = chosenText(cell.choice);
    const before = found.at(-1);
    if (before?.choice !== choice) found.push({ choice, xs: [x], cells: [cell] });
    else {
      before.xs.push(x);
      before.cells.push(cell);
    }
  }
  return found;
}

function pathsText(cells: readonly OkCell[]): string {
  const most = new Map<string, number>();
  for (const [path, n] of cells.flatMap((c) => Object.entries(c.pathsSeen ?? {})))
    most.set(path, Math.max(n, most.get(path) ?? 0));
  if (most.size === 0) return '–';
  return [...most].map(([path, n]) => `${path} × ${formatCount(n)}`).join(', ');
}

function verdictText(cells: readonly OkCell[]): string {
  const counts = new Map<string, number>();
  for (const { evidence } of cells) counts.set(evidence.verdict, (counts.get(evidence.verdict) ?? 0) + 1);
  return counts.size === 1
    ? ([...counts.keys()][0] ?? '')
    : [...counts].map(([verdict, n]) => `${verdict} ${n}`).join(', ');
}

/** Start of processes, communicator and first calls of each launch; these are in no other figure. */
function launchTable(run: ReportedRun): Html {
  const { launches, plan } = run.record;
  if (launches.length === 0) return html``;
  const x = xOfPlan(plan);
  const first = (l: LaunchRecord) => {
    const over = plan.transports[l.transport]?.name;
    const calls = run.cells
      .filter(isOk)
      .filter((c) => c.transport === over)
      .flatMap((c) => {
        const ns = c.firstCallNs[l.launch];
        return ns === undefined ? [] : [{ at: xIn(plan, c), ns }];
      });
    return calls.reduce<{ at: number; ns: number } | null>(
      (a, b) => (a === null || b.ns > a.ns ? b : a),
      null,
    );
  };
  const init = (l: LaunchRecord) => {
    const ns = l.ranks.flatMap((r) =>
      Number(r.facts?.['nccl.initNs']) > 0 ? [Number(r.facts?.['nccl.initNs'])] : [],
    );
    return ns.length === 0 ? '–' : formatTime(Math.max(...ns), micro);
  };
  const memory = (l: LaunchRecord) => {
    const bytes = l.ranks.flatMap((r) => Number(r.facts?.['nccl.memoryBytes'] ?? Number.NaN));
    const known = bytes.filter((b) => Number.isFinite(b));
    return known.length === 0 ? '–' : formatBytesAbout(Math.max(...known));
  };
  return table(
    'Cost of starting. Communicator: slowest rank. GPU memory: the most that creating it used on one GPU. First call: the slowest of all sizes, which may include connecting ranks.',
    [
      { head: 'launch', number: true, cell: (l: LaunchRecord) => l.launch + 1 },
      { head: 'over', cell: (l) => plan.transports[l.transport]?.name ?? '' },
      { head: 'start until ready', number: true, cell: (l) => formatTime(l.setupNs, micro) },
      { head: 'communicator', number: true, cell: init },
      { head: 'GPU memory', number: true, cell: memory },
      {
        head: 'first call',
        number: true,
        cell: (l) => {
          const call = first(l);
          return call === null ? '–' : `${formatTime(call.ns, micro)} (${x.text(call.at)})`;
        },
      },
    ],
    launches,
  );
}
