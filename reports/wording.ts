import { type Inventory, parseSeriesName, seriesNameText } from '../results/schema/index.ts';
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

/** Capitalises the first letter: "bus bandwidth" becomes "Bus bandwidth". */
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Makes the first letter lower case. */
export const uncapitalise = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Returns the text with one full stop at its end. */
export const withStop = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Returns the text as a sentence: capitalised, with a full stop; '' for no text. */
export const sentence = (text: string): string => (text === '' ? '' : withStop(capitalise(text)));

/** Returns the text as a part of a file name: hyphens replace all but letters, digits, dots, underscores and hyphens. */
export const fileWords = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-');

/** Returns a time, or a range if the times print differently: "2.90 µs", "2.88 µs to 2.94 µs". */
export function formatTimeRange(ns: readonly number[]): string {
  const [low, high] = [Math.min(...ns), Math.max(...ns)].map(formatTime);
  return low === high ? `${low}` : `${low} to ${high}`;
}

/** Formats a ratio: "1.04x", "9.1x", "38x" (two decimals below 2, one below 10, none above). */
export function formatRatio(ratio: number): string {
  if (ratio < 1.995) return `${ratio.toFixed(2)}x`;
  if (ratio < 9.95) return `${ratio.toFixed(1)}x`;
  return `${formatCount(ratio)}x`;
}

/**
 * Returns the processor cores of a host: "64 cores, 128 hardware threads", or "64 cores" with one thread per core. Old records
 * without `coreCount` counted hardware threads as cores.
 */
export function coresText({ coreCount, cpuCount }: Inventory): string {
  const cores = plural(coreCount ?? cpuCount, 'core');
  return coreCount === undefined || coreCount === cpuCount
    ? cores
    : `${cores}, ${plural(cpuCount, 'hardware thread')}`;
}

/** Matches folder names that do not describe their content, such as "lib". */
const plainFolder = /^(lib|lib64|\.libs|usr|local|opt|build|src|[\w-]+-linux-gnu|)$/;

/**
 * Shortens `plugin:/opt/lib/libnccl-net-x.so` to "plugin:x" and keeps other names. NCCL loads libnccl-net.so by default, so most
 * plugins have that file name. They are named by their folder: `plugin:/opt/aws-ofi/lib/libnccl-net.so` becomes "plugin:aws-ofi".
 */
export function shortTransport(name: string): string {
  const parts = parseSeriesName(name);
  if (!parts.transport.startsWith('plugin:')) return name;
  const folders = parts.transport.slice('plugin:'.length).split('/');
  const own = (folders.pop() ?? '').replace(/^libnccl-net-/, '').replace(/\.so[.\d]*$/, '');
  const folder = own === 'libnccl-net' ? folders.findLast((one) => !plainFolder.test(one)) : undefined;
  return seriesNameText({ ...parts, transport: `plugin:${folder ?? own}` });
}

/**
 * Returns the algorithm and protocol that the engine used: "Ring/LL", "Ring" without a protocol, "" if the engine does not
 * report them.
 */
export function chosenText(cell: { algorithm: string; protocol: string | null }): string {
  return [cell.algorithm, cell.protocol ?? ''].filter((word) => word !== '').join('/');
}

/** One character for each verdict on whether the transport carried the data, for a table column with a legend. */
export const evidenceMarks = { confirmed: '✓', unproven: '?', contradicted: '✗' } as const;

/**
 * Splits titles into the first words that all share (`common`) and the rest of each title: "control path" and "host",
 * "stream".
 */
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

/** Splits names into the last words that all share (`common`; '' if a name has no others) and the start of each name. */
export function splitEnds(names: readonly string[]): { common: string; rest: readonly string[] } {
  const { common, rest } = splitTitles(names.map(backwards));
  return { common: backwards(common), rest: rest.map(backwards) };
}

/** Joins titles to one text and writes their common first words once: "control path host, stream and kernel". */
export function joinTitles(titles: readonly string[]): string {
  const { common, rest } = splitTitles(titles);
  return `${common} ${joinWords(rest)}`.trimStart();
}

/** Returns a transport with its medium and details: "sisci (emulated, softntb link none)", "socket (TCP over lo)". */
export function transportLabel(t: { name: string; medium: string; detail: string }): string {
  // Detail "NCCL 2.28.9 p2p": the transport name comes first in the label, so the detail does not repeat it.
  const [program = '', version = '', name, ...others] = t.detail.replaceAll(', ', ' ').split(' ');
  const repeats = program === 'NCCL' && name === parseSeriesName(t.name).transport;
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
