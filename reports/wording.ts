import {
  detailParts,
  type Inventory,
  parseSeriesName,
  pluginWord,
  seriesNameText,
  shortDetail,
  type TransportDetail,
} from '../results/schema/index.ts';
import { formatCount, formatTime, joinWords, plural, valueRange } from '../results/units.ts';

export { flagMeanings } from '../results/derive/index.ts';
export {
  asAscii,
  breakAfterCommas,
  breakLabel,
  cutAfterWord,
  fileWords,
  keepUnits,
  linesAfterCommas,
  sentencesIn,
  shellWord,
  visible,
  wrap,
} from '../results/text.ts';
export {
  endsText,
  formatBandwidth,
  formatBytes,
  formatBytesAbout,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  halfWidth,
  isUselessSpread,
  isWideSpread,
  joinNames,
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
  unknownSpread,
  usefulEnds,
  valueRange,
} from '../results/units.ts';

/** Capitalises the first letter: "bus bandwidth" becomes "Bus bandwidth". */
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Makes the first letter lower case. */
export const uncapitalise = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/**
 * Returns the text as a sentence: capitalised, with a full stop. The first letter is kept if the text begins with one of the names,
 * followed by a space, a colon or nothing.
 */
export function sentenceWithNames(text: string, names: readonly string[]): string {
  const isName = (name: string) => text.startsWith(name) && ['', ' ', ':'].includes(text.charAt(name.length));
  return names.some(isName) ? withStop(text) : sentence(text);
}

/** Returns the text with a full stop at its end; one that is already there is not repeated. */
export const withStop = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Returns the text as a sentence: capitalised, with a full stop; '' for no text. */
export const sentence = (text: string): string => (text === '' ? '' : withStop(capitalise(text)));

/**
 * Returns the range of some times as text: "2.88 µs to 2.94 µs"; a single time "2.90 µs" if the lowest and the highest print alike.
 * @param ns times in ns, at least one
 */
export const formatTimeRange = (ns: readonly number[]): string => valueRange(ns, formatTime);

// The names are listed here because Intl would load the data of all its languages for a single word.
export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/**
 * Returns a date for readers: "21 November 2026, 10:00 UTC". Text that is no date is returned unchanged.
 * @param iso date as in run.json (ISO 8601)
 */
export function longDate(iso: string): string {
  const date = new Date(iso);
  const month = months[date.getUTCMonth()];
  if (month === undefined) return iso;
  return `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}, ${iso.slice(11, 16)} UTC`;
}

/** Formats a ratio: "1.04x", "9.1x", "38x" (two decimals below 2, one below 10, none above). */
export function formatRatio(ratio: number): string {
  if (ratio < 1.995) return `${ratio.toFixed(2)}x`;
  if (ratio < 9.95) return `${ratio.toFixed(1)}x`;
  return `${formatCount(ratio)}x`;
}

/**
 * Returns the processor cores of a host: "64 cores, 128 hardware threads". Only "64 cores" if each core has one hardware thread, or
 * if the number of cores is unknown (the number is then that of hardware threads).
 */
export function coresText({ coreCount, cpuCount }: Inventory): string {
  const cores = plural(coreCount ?? cpuCount, 'core');
  return coreCount === undefined || coreCount === cpuCount
    ? cores
    : `${cores}, ${plural(cpuCount, 'hardware thread')}`;
}

/** Shortens the name of a transport that is a plugin: "plugin:x" for `plugin:/opt/lib/libnccl-net-x.so`; keeps other names. */
export function shortTransport(name: string): string {
  const parts = parseSeriesName(name);
  const word = pluginWord(parts.transport);
  return word === null ? name : seriesNameText({ ...parts, transport: `plugin:${word}` });
}

/**
 * Returns the algorithm and protocol that the engine used: "Ring/LL", "Ring" without a protocol, "" if the engine does not
 * report them.
 */
export function chosenText(cell: { algorithm: string; protocol: string | null }): string {
  return [cell.algorithm, cell.protocol ?? ''].filter((word) => word !== '').join('/');
}

/** Meaning of the three times in tables of runs in which some ranks start late (`--skew`). */
export const skewMeaning =
  'late ranks: time and bandwidth from the last arrival · first: time from the first arrival · skew: first to last arrival, as measured';

/** One character for each verdict of the evidence (whether the transport moved the data), for a table column with a legend. */
export const evidenceMarks = { confirmed: '✓', unproven: '?', contradicted: '✗' } as const;

/**
 * Splits titles into the first words that all share (`common`) and the rest of each title: "control path" and "host", "stream".
 * `common` is '' if they share none, if a title would have no rest, or if all titles are equal; `rest` then has the whole titles.
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

/**
 * Splits names into the last words that all share (`common`) and the start of each name (`rest`). `common` is '' if they share
 * none, if a name would have no start, or if all names are equal; `rest` then has the whole names.
 */
export function splitEnds(names: readonly string[]): { common: string; rest: readonly string[] } {
  const { common, rest } = splitTitles(names.map(backwards));
  return { common: backwards(common), rest: rest.map(backwards) };
}

/**
 * Returns what titles of operations have in common (first and last words), and a function that leaves these words out of a title.
 * Example: `head` "moe, bfloat16 top 4", and "dispatch uniform" for one title. `head` is '' if the first words of the titles
 * differ, or if all titles are equal.
 */
export function shortTitles(titles: readonly string[]): { head: string; textOf: (title: string) => string } {
  const all = [...new Set(titles)];
  const { common: start, rest } = splitTitles(all);
  const { common: end, rest: middle } = start === '' ? { common: '', rest } : splitEnds(rest);
  const own = new Map(all.map((title, i) => [title, middle[i] ?? title]));
  return {
    head: [start, end].filter((words) => words !== '').join(', '),
    textOf: (title) => own.get(title) ?? title,
  };
}

/** Joins names to one text and writes their common last words once: "algorithm and bus bandwidth". */
export function joinEnds(names: readonly string[]): string {
  const { common, rest } = splitEnds(names);
  return `${joinWords(rest)} ${common}`.trimEnd();
}

/** Joins titles to one text and writes their common first words once: "control path host, stream and kernel". */
export function joinTitles(titles: readonly string[]): string {
  const { common, rest } = splitTitles(titles);
  return `${common} ${joinWords(rest)}`.trimStart();
}

type DescribedTransport = { name: string; medium: string; detail: TransportDetail };

/** Returns the name of a transport with its medium and details: "sisci (emulated, softntb link none)", "socket (TCP over lo)". */
export const transportLabel = ({ name, medium, detail }: DescribedTransport): string =>
  labelWith(name, medium, detailParts(detail, parseSeriesName(name).transport).join('; '));

/**
 * Returns the short label of a transport. It leaves out the details that only the text of a report needs, and the link model if
 * that imposes no limits.
 */
export const shortTransportLabel = ({ name, medium, detail }: DescribedTransport): string =>
  labelWith(name, medium, shortDetail(detail, parseSeriesName(name).transport));

/** Returns the name of a transport with its medium, if that is emulated, and the given details: "sisci (emulated)". */
export function labelWith(name: string, medium: string, detail = ''): string {
  const parts = [medium === 'emulated' ? 'emulated' : '', detail].filter((p) => p !== '');
  return parts.length > 0 ? `${shortTransport(name)} (${parts.join(', ')})` : shortTransport(name);
}

export const mediumMismatchText =
  'compares an emulated adapter with real hardware; says nothing about a real adapter';

export const fakeGpus =
  'NCCL and CUDA are fakes in host memory: the results do not show the speed of real GPUs';
