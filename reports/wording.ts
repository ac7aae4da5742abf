import { type Inventory, loadOf } from '../results/schema/index.ts';
import { formatCount, formatTime, joinWords, plural } from '../results/units.ts';

export { flagMeanings } from '../results/derive/index.ts';
export { wrap } from '../results/text.ts';
export {
  formatBandwidth,
  formatBytes,
  formatBytesAbout,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  halfWidth,
  joinWords,
  percentText,
  plural,
  pluralForm as manyOf,
  plusMinus,
  plusMinusHalf,
  plusMinusLog,
  signedSpread,
  sizeFlag,
  sizeText,
  spreadText,
  threeDigits,
} from '../results/units.ts';

/** Numbers and recurring phrases as people read them, the same in terminal, report and summary. */

/** "bus bandwidth" -> "Bus bandwidth". */
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "2.90 us", "2.88 us to 2.94 us". */
export function formatTimeRange(ns: readonly number[], micro: 'us' | 'µs' = 'us'): string {
  const [low, high] = [Math.min(...ns), Math.max(...ns)].map((t) => formatTime(t, micro));
  return low === high ? `${low}` : `${low} to ${high}`;
}

/** "9.1x", "1.04x", "38x". */
export function formatRatio(ratio: number): string {
  if (ratio < 1.995) return `${ratio.toFixed(2)}x`;
  if (ratio < 9.95) return `${ratio.toFixed(1)}x`;
  return `${formatCount(ratio)}x`;
}

/** "64 cores, 128 hardware threads"; "64 cores" where each core has one. Older agents counted threads as cores. */
export function coresText({ coreCount, cpuCount }: Inventory): string {
  const cores = plural(coreCount ?? cpuCount, 'core');
  return coreCount === undefined || coreCount === cpuCount
    ? cores
    : `${cores}, ${plural(cpuCount, 'hardware thread')}`;
}

/** What a series name says. */
export interface SeriesParts {
  transport: string;
  /** Algorithm and protocol fixed: "ring/LL". */
  choice: string | null;
  /** What works beside it: "compute:2". */
  load: string | null;
}

/**
 * "socket@ring/LL+compute" is transport "socket" with algorithm and protocol fixed beside a load, "socket@copy" beside a load
 * alone. A path may hold an @ of its own, but what is fixed is words without dots.
 */
export function seriesParts(name: string): Readonly<SeriesParts> {
  const known = partsByName.get(name);
  if (known !== undefined) return known;
  const parts = parsedParts(name);
  partsByName.set(name, parts);
  return parts;
}

/** Every cell is asked for the parts of its series; a run has few names. */
const partsByName = new Map<string, SeriesParts>();

function parsedParts(name: string): SeriesParts {
  const [, transport, fixed = ''] =
    /^(.+)@([\w^,-]*(?:\/[\w^,]*)?(?:\+[a-z:\d]+)?|[a-z]+:\d+)$/.exec(name) ?? [];
  if (transport === undefined) return { transport: name, choice: null, load: null };
  const words = fixed.split('+');
  const last = words.at(-1) ?? '';
  const load = loadOf(last) === null ? null : last;
  const choice = load === null ? fixed : words.slice(0, -1).join('+');
  return { transport, choice: load !== null && choice === '' ? null : choice, load };
}

/** As behind the @ of a series name; '' where it fixes nothing. */
export const fixedText = ({ choice, load }: SeriesParts): string =>
  [choice ?? '', load ?? ''].filter((word) => word !== '').join('+');

/** Folders that say nothing of what is in them. */
const plainFolder = /^(lib|lib64|\.libs|usr|local|opt|build|src|[\w-]+-linux-gnu|)$/;

/**
 * `plugin:/opt/lib/libnccl-net-x.so` -> "plugin:x"; other names as they are. NCCL loads libnccl-net.so where none is named,
 * so most plugins are called that: these go by their folder, `plugin:/opt/aws-ofi/lib/libnccl-net.so` -> "plugin:aws-ofi".
 */
export function shortTransport(name: string): string {
  const parts = seriesParts(name);
  const { transport } = parts;
  const fixed = fixedText(parts) === '' ? '' : `@${fixedText(parts)}`;
  const path = transport.startsWith('plugin:') ? transport.slice(7) : undefined;
  if (path === undefined) return name;
  const folders = path.split('/');
  const own = (folders.pop() ?? '').replace(/^libnccl-net-/, '').replace(/\.so[.\d]*$/, '');
  const folder = own === 'libnccl-net' ? folders.findLast((one) => !plainFolder.test(one)) : undefined;
  return `plugin:${folder ?? own}${fixed}`;
}

/** "Ring/LL", "Ring" where there is no protocol, "" where the engine did not say. */
export function chosenText(cell: { algorithm: string; protocol: string | null }): string {
  return [cell.algorithm, cell.protocol ?? ''].filter((word) => word !== '').join('/');
}

/** One character for a column; the words stand in the table's head. */
export const evidenceMarks = { confirmed: '✓', unproven: '?', contradicted: '✗' } as const;

/** Words that all titles begin with, and what each has beyond them: "control path" and "host", "stream". */
export function splitTitles(titles: readonly string[]): { common: string; rest: readonly string[] } {
  const words = titles.map((title) => title.split(' '));
  const [first = [], ...others] = words;
  const differs = first.findIndex((word, i) => others.some((other) => other[i] !== word));
  if (differs <= 0 || words.some(({ length }) => length <= differs)) return { common: '', rest: titles };
  return {
    common: first.slice(0, differs).join(' '),
    rest: words.map((title) => title.slice(differs).join(' ')),
  };
}

const backwards = (text: string): string => text.split(' ').reverse().join(' ');

/** Words with which all of several names end; '' where one of them has no other. */
export const commonSuffix = (names: readonly string[]): string =>
  backwards(splitTitles([...new Set(names)].map(backwards)).common);

/** "control path host, stream and kernel": words that all begin with are said once. */
export function joinTitles(titles: readonly string[]): string {
  const { common, rest } = splitTitles(titles);
  return `${common} ${joinWords(rest)}`.trimStart();
}

/** "sisci (emulated, softntb link none)", "socket (TCP over lo)". */
export function transportLabel(t: { name: string; medium: string; detail: string }): string {
  // "NCCL 2.28.9 p2p": the name stands before it already.
  const [program = '', version = '', name, ...others] = t.detail.replaceAll(', ', ' ').split(' ');
  const repeats = program === 'NCCL' && name === t.name.split('@')[0];
  const detail = repeats
    ? [program, version, ...others].join(' ')
    : t.detail.replace(', ', ' ').replaceAll(', ', '; ');
  const parts = [t.medium === 'emulated' ? 'emulated' : '', detail].filter((p) => p !== '');
  return parts.length > 0 ? `${shortTransport(t.name)} (${parts.join(', ')})` : shortTransport(t.name);
}

export const mediumMismatchText =
  'compares an emulated adapter with real hardware; says nothing about a real adapter';

export const fakeGpus =
  'NCCL and CUDA are fakes in host memory: the results do not show the speed of real GPUs';

/** Stored reasons and agents write "us"; pages and captions write "µs". */
export const withMicro = (text: string): string => text.replaceAll(/(?<=\d) us\b/g, ' µs');
