import path from 'node:path';
import type { GoldenInputs } from './work.ts';

/** Kinds of rendered files. Each kind is also the name of its folder and a value of `--kinds`. */
export const kinds = [
  'text',
  'markdown',
  'json',
  'csv',
  'xml',
  'metrics',
  'figures',
  'html-text',
  'html-hash',
] as const;
export type GoldenKind = (typeof kinds)[number];

/** A command whose stdout is stored as `KIND/of/name`. `pages` is the folder into which the command writes pages, if any. */
export interface GoldenJob {
  of: string;
  name: string;
  kind: GoldenKind;
  words: string[];
  columns?: number;
  pages?: string;
}

const job = (of: string, name: string, kind: GoldenKind, ...words: string[]): GoldenJob => ({
  of,
  name,
  kind,
  words,
});
const wide = (one: GoldenJob): GoldenJob[] =>
  [80, 160].map((columns) => ({ ...one, name: one.name.replace('.', `-${columns}.`), columns }));
const withPages = (one: GoldenJob, pages: string): GoldenJob => ({ ...one, pages });
const base = (run: string): string => path.basename(run);

const exported = (run: string, name: string, kind: GoldenKind, flag: string) =>
  job(run, name, kind, 'export', run, flag);

/** Commands for every run. Imported runs get only these: they are many, and have no hosts and launches. */
function ofAnyRun(run: string): GoldenJob[] {
  return [
    job(run, 'show.txt', 'text', 'show', run),
    job(run, 'show.ndjson', 'json', 'show', run, '--json'),
    exported(run, 'cells.csv', 'csv', '--csv'),
    exported(run, 'junit.xml', 'xml', '--junit'),
    exported(run, 'run.md', 'markdown', '--markdown'),
    exported(run, 'open-metrics.txt', 'metrics', '--open-metrics'),
    job(run, 'model.txt', 'text', 'model', run),
    withPages(job(run, 'report.txt', 'text', 'report', run, '--out', `pages/${run}`), `pages/${run}`),
  ];
}

/** All commands that show a run which collbench measured. */
function ofRun(run: string): GoldenJob[] {
  return [
    ...ofAnyRun(run),
    ...wide(job(run, 'show.txt', 'text', 'show', run)),
    exported(run, 'cells.ndjson', 'json', '--json'),
    exported(run, 'load.csv', 'csv', '--metrics'),
    job(run, 'model.ndjson', 'json', 'model', run, '--predict', 'ranks=4', '--json'),
  ];
}

function ofComparison(...runs: string[]): GoldenJob[] {
  const of = `compare/${runs.map(base).join('+')}`;
  const words = ['compare', ...runs];
  return [
    ...wide(job(of, 'compare.txt', 'text', ...words, '--all')),
    job(of, 'compare.ndjson', 'json', ...words, '--json', '--fail-on', 'slower'),
    job(of, 'compare.md', 'markdown', ...words, '--markdown'),
    withPages(job(of, 'page.txt', 'text', ...words, '--html', `pages/${of}/report.html`), `pages/${of}`),
  ];
}

const pairsOf = (runs: readonly string[]): [string, string][] =>
  runs.flatMap((a, i) => runs.slice(i + 1).map((b): [string, string] => [a, b]));

/** Jobs that do not depend on each other. @param imported runs imported from files of other programs */
export function goldenJobs(stored: GoldenInputs, imported: readonly string[]): GoldenJob[] {
  const { runs, suites, topology } = stored;
  const allreduce = (run: string) => /nccl|cpu-(allreduce|interrupted|resumed|unverified)/.test(run);
  const nccl = runs.filter((run) => allreduce(run) && run.includes('nccl'));
  const cpu = runs.filter((run) => allreduce(run) && run.includes('cpu'));
  const night = (name: string, n: string) => `nights/${name}-${n}`;
  const members = runs.filter((run) => !run.includes('pairs'));
  const several = (of: string, some: string[]) =>
    withPages(job(of, 'report.txt', 'text', 'report', ...some, '--out', `pages/${of}`), `pages/${of}`);
  return [
    ...runs.flatMap(ofRun),
    ...imported.flatMap(ofAnyRun),
    ...[...pairsOf(nccl), ...pairsOf(cpu)].flatMap((pair) => ofComparison(...pair)),
    ...ofComparison(night('cpu-allreduce', '00'), night('cpu-allreduce', '01'), night('cpu-allreduce', '19')),
    ...ofComparison(...['00', '19'].map((n) => night('nccl-2-h200-four-channels', n))),
    ...ofComparison('runs/nccl-2-h200', 'imported/nccl-tests-2.19.6-2xH200-all_reduce.txt'),
    several('together/nccl', nccl),
    several('together/all', members),
    ...['runs', 'nights', 'imported', 'suites'].flatMap((place) => [
      job(place, 'runs.txt', 'text', 'runs', '--root', place),
      job(place, 'runs.ndjson', 'json', 'runs', '--root', place, '--json'),
    ]),
    ...suites.flatMap((suite) => [
      job(suite, 'junit.xml', 'xml', 'export', suite, '--junit'),
      job(suite, 'suite.md', 'markdown', 'export', suite, '--markdown'),
      withPages(job(suite, 'report.txt', 'text', 'report', suite, '--root', 'suites'), suite),
    ]),
    ...[
      ...topology.map((file) => [`topology/${file}`]),
      ['topology/h200-2-topo.xml', 'topology/h200-2-graph-p2p.xml'],
    ]
      .concat(['nccl-2-h200', 'nccl-4-h200', 'cpu-allreduce'].map((name) => [`runs/${name}`]))
      .flatMap((files) => {
        const of = `topo/${files.map(base).join('+')}`;
        const svg = `pages/${of}/topo.svg`;
        return [
          withPages(job(of, 'topo.txt', 'text', 'topo', ...files, '--svg', svg), `pages/${of}`),
          job(of, 'topo.json', 'json', 'topo', ...files, '--json'),
        ];
      }),
  ];
}

function history(place: string, ...series: string[]): GoldenJob[] {
  const of = ['history', place, ...series].join('-');
  const words = ['history', ...series, '--root', place, '--since', '2026-01-01', '--any-host'];
  const page = withPages(job(of, 'page.txt', 'text', ...words, '--out', `pages/${of}`), `pages/${of}`);
  return [
    ...wide(job(of, 'history.txt', 'text', ...words)),
    job(of, 'history.ndjson', 'json', ...words, '--json'),
    // Imported runs get no page: it would have about 700 charts with a single night each.
    ...(place === 'imported' ? [] : [page]),
  ];
}

/** Jobs of `history`. They run one after another, because the first job on a folder writes the index of its runs. */
export const historyJobs = (): GoldenJob[] => [
  ...history('nights', 'allreduce', 'socket'),
  ...history('nights', 'nccl'),
  ...history('runs'),
  ...history('suites'),
  ...history('imported'),
];

/** Jobs of `baseline`. They run one after another, because each reads files that earlier ones wrote. */
export function baselineJobs({ suites }: GoldenInputs): GoldenJob[] {
  const baseline = (name: string, ...words: string[]) =>
    job('baseline', name, 'text', 'baseline', ...words, '--baselines', 'baselines', '--root', 'suites');
  const mine = suites.filter((suite) => suite.includes('-mine-'));
  const nights = ['00', '01', '02', '03'].map((n) => `nights/cpu-allreduce-${n}`);
  return [
    baseline('set-run.txt', 'set', 'runs/nccl-2-h200', '--name', 'h200'),
    ...mine.slice(0, 1).map((suite) => baseline('set-suite.txt', 'set', suite)),
    baseline('learn-suites.txt', 'learn', ...mine),
    baseline('learn-runs.txt', 'learn', ...nights, '--name', 'cpu'),
    ...['h200', 'mine', 'cpu'].map((name) => baseline(`show-${name}.txt`, 'show', name)),
    { ...baseline('list.ndjson', 'list', '--json'), kind: 'json' },
  ];
}

export function importJobs({ foreign }: GoldenInputs): GoldenJob[] {
  return foreign.map(({ name, words }) => {
    const out = `imported/${name}`;
    return job(
      out,
      'import.txt',
      'text',
      'import',
      `foreign/${name}`,
      ...words,
      '--label',
      'foreign',
      '--out',
      out,
      '--root',
      'imported',
    );
  });
}
