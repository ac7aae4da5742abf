import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixtures } from '../../results/testing/foreign.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** An output file of another benchmark, with the options (`words`) that are needed to import it. */
export interface ForeignFile {
  name: string;
  words: string[];
}

/** Input folders as the command lines name them: relative to the working folder. */
export interface GoldenInputs {
  runs: string[];
  /** Copies of runs, dated one day apart, the later ones slower: input of `history`. */
  nights: string[];
  suites: string[];
  foreign: ForeignFile[];
  /** Names of topology files, which `topo` reads. It also reads runs. */
  topology: string[];
}

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** Copies all stored inputs of the repository into `work`, because commands may write files next to a run. */
export function copyGoldenInputs(work: string): GoldenInputs {
  const from = (...parts: string[]) => path.join(root, ...parts);
  const copy = (source: string, to: string): string => {
    cpSync(source, path.join(work, to), { recursive: true });
    return to;
  };
  const isRun = (folder: string) => existsSync(path.join(folder, 'run.json'));
  const runs = [
    ...['results/reference', 'tests/goldens/fixtures/runs'].flatMap((place) =>
      foldersIn(from(place))
        .filter((name) => isRun(from(place, name)))
        .map((name) => copy(from(place, name), `runs/${name}`)),
    ),
    copy(from('results/derive/metrics/fixtures/recorded'), 'runs/recorded'),
  ];
  const nights = ['cpu-allreduce', 'nccl-2-h200-four-channels'].flatMap((name) => makeNights(work, name));
  copy(from('tests/goldens/fixtures/suites'), 'suites');
  const suites = foldersIn(path.join(work, 'suites')).filter((name) => name.includes('-suite-'));
  copy(from('results/import/fixtures'), 'foreign');
  copy(from('results/testing/topology/fixtures'), 'topology');
  const topology = readdirSync(path.join(work, 'topology')).sort();
  return {
    runs,
    nights,
    suites: suites.map((name) => `suites/${name}`),
    foreign: foreignFiles(work),
    topology,
  };
}

function foreignFiles(work: string): ForeignFile[] {
  return readdirSync(path.join(work, 'foreign'))
    .filter((name) => name !== 'README.md')
    .sort()
    .map((name) => {
      const { ranks, collective, sizeBytes } = fixtures[name]?.hints ?? {};
      const said = { '--ranks': ranks, '--collective': collective, '--size': sizeBytes };
      const words = Object.entries(said).flatMap(([flag, value]) =>
        value === undefined || value === null ? [] : [flag, String(value)],
      );
      return { name, words };
    });
}

/** Writes 20 copies of a run with slightly different times. The last ten are a third slower, which `history` must detect. */
function makeNights(work: string, name: string): string[] {
  return Array.from({ length: 20 }, (_, night) => {
    const folder = `nights/${name}-${String(night).padStart(2, '0')}`;
    const factor = (1 + 0.004 * Math.sin(night * 12.9898)) * (night < 10 ? 1 : 4 / 3);
    mkdirSync(path.join(work, folder), { recursive: true });
    const read = (file: string) => readFileSync(path.join(work, 'runs', name, file), 'utf8');
    const cells = read('cells.ndjson').trimEnd().split('\n');
    const scaled = cells.map((line) =>
      JSON.stringify(JSON.parse(line, (key, value) => slower(key, value, factor))),
    );
    writeFileSync(path.join(work, folder, 'cells.ndjson'), `${scaled.join('\n')}\n`);
    writeFileSync(path.join(work, folder, 'run.json'), read('run.json'));
    pinIdentity(path.join(work, folder), folder, night);
    return folder;
  });
}

/** Scales a value for a run that takes `factor` times as long: times (key ends in Ns) and bandwidths (GBps). Others are kept. */
function slower(key: string, value: unknown, factor: number): unknown {
  // The keys fromNs and toNs hold when a block ran, which is no duration.
  const by = /^(from|to)Ns$/.test(key)
    ? null
    : /Ns$/.test(key)
      ? factor
      : /GBps$/.test(key)
        ? 1 / factor
        : null;
  if (by === null) return value;
  const times = (one: unknown): unknown =>
    typeof one === 'number' ? one * by : Array.isArray(one) ? one.map(times) : one;
  return times(value);
}

/** Gives a run an id that follows from its name, and times that follow from `day`. @param folder absolute path */
export function pinIdentity(folder: string, name: string, day: number): void {
  const file = path.join(folder, 'run.json');
  const id = createHash('sha256').update(name).digest('hex').slice(0, 6);
  const at = new Date(Date.UTC(2026, 5, 1 + day, 3)).toISOString();
  const text = readFileSync(file, 'utf8')
    .replace(/^( {2}"id": )"[^"]*"/m, `$1"${id}"`)
    .replace(/^( {2}"(?:startedAt|endedAt)": )"[^"]*"/gm, `$1"${at}"`);
  writeFileSync(file, text);
}
