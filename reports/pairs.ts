// Sentences of `collbench pairs` about the hosts and pairs of hosts that are slower than the others.

import {
  type PairFigure,
  type PairFinding,
  type PairsOverview,
  pairsOverview,
  type RingDrop,
  sameMachineText,
} from '../results/derive/index.ts';
import type { CellRecord, RunPlan } from '../results/schema/index.ts';
import { evidenceSentence } from './evidence.ts';
import { isOk } from './series.ts';
import { missingSentence, type RunSummary, summaryWith, verificationSentence } from './summary.ts';
import { formatBandwidth, formatTime, plural, shortTransport, threeDigits } from './wording.ts';

/** Maximum number of hosts, and also of pairs, that sentences name; further ones are counted. */
const fewNamed = 4;

const figureText = ({ measure }: PairFinding, value: number): string =>
  measure === 'bandwidth' ? formatBandwidth(value) : formatTime(value);

/**
 * Returns the bandwidth or latency of a slow host or pair, and the median of those that are not slow: "3.10 GB/s against 9.80
 * GB/s". The value alone if that median is unknown; "" if the host or pair did not run.
 */
function comparedText(finding: PairFinding): string {
  const { value, typical } = finding;
  if (value === null) return '';
  const own = figureText(finding, value);
  return typical === null ? own : `${own} against ${figureText(finding, typical)}`;
}

function hostSentence(finding: PairFinding): string {
  const [name] = finding.names;
  if (finding.value === null)
    return `${name} runs with no other host: check the host itself, or its path to all others`;
  return finding.measure === 'bandwidth'
    ? `${name} is slow with all others: ${comparedText(finding)}; check its cable or NIC`
    : `${name} answers late to all others: ${comparedText(finding)}; check its NIC, interrupts and CPU load`;
}

function pairSentence(finding: PairFinding, isOnly: boolean): string {
  const pair = (isOnly ? 'only ' : '') + finding.names.join(' - ');
  if (finding.value === null) return `${pair} does not run: check the path between them`;
  const what = finding.measure === 'bandwidth' ? 'is slow' : 'is late';
  return `${pair} ${what}: ${comparedText(finding)}; check the path between them`;
}

/**
 * Returns one sentence without a full stop per slow host, then per slow pair. Of hosts and of pairs the first four have a sentence
 * each; one more sentence gives the number of the others.
 */
function sentencesOf(findings: readonly PairFinding[]): string[] {
  return (['host', 'pair'] as const).flatMap((kind) => {
    const mine = findings.filter((finding) => finding.kind === kind);
    const told = mine
      .slice(0, fewNamed)
      .map((finding) => (kind === 'host' ? hostSentence(finding) : pairSentence(finding, mine.length === 1)));
    const more = mine.length - told.length;
    return more > 0 ? [...told, `${plural(more, `more ${kind}`)} stand out as well`] : told;
  });
}

function ringSentence({ ranks, last, fromGBps, toGBps }: RingDrop, named: ReadonlySet<string>): string {
  const from = formatBandwidth(fromGBps);
  if (toGBps === null) return `the ring breaks when ${last} joins as number ${ranks}`;
  const fall = `from ${from} to ${formatBandwidth(toGBps)}`;
  if (last === null) return `the ring slows down gradually, ${fall}`;
  const why = named.has(last)
    ? ', as its pairs do'
    : ' although none of its pairs is an outlier: check what the hosts share, a switch or an uplink';
  return `the ring of ${ranks} drops ${fall} when ${last} joins${why}`;
}

/**
 * Returns sentences without full stops: which hosts or pairs of hosts are slow, that none is, that there is no verdict, or that no
 * pair ran. Each transport has at least one sentence, and one more if larger rings lose bandwidth or do not run. With several
 * transports each sentence begins with the transport's name.
 */
export function pairsSentences(overviews: readonly PairsOverview[]): string[] {
  return overviews.flatMap((one) => {
    const over = overviews.length > 1 ? `${shortTransport(one.transport)}: ` : '';
    const named = new Set(one.findings.flatMap(({ names }) => names));
    const drop = one.ringDrop === null ? [] : [ringSentence(one.ringDrop, named)];
    return [...verdictOf(one), ...drop].map((text) => over + text);
  });
}

function verdictOf({
  members,
  names,
  pairs,
  findings,
  typicalGBps,
  typicalLatencyNs,
  hasVerdict,
  sameMachine,
}: PairsOverview): string[] {
  const ran = pairs.filter(({ GBps }) => GBps !== null).length;
  if (ran === 0) return ['no pair ran'];
  const typically =
    typicalGBps === null
      ? ''
      : `typically ${formatBandwidth(typicalGBps)}${typicalLatencyNs === null ? '' : ` and ${formatTime(typicalLatencyNs)}`}`;
  const known = sameMachine.map(sameMachineText);
  if (!hasVerdict && known.length > 0)
    return [...known, `no verdict (${typically}): name three machines or more, each once`];
  if (!hasVerdict) return [`of two, the slow one is unknown (${typically}): add a third host`];
  if (findings.length > 0) return [...known, ...sentencesOf(findings)];
  const part = ran < pairs.length ? `${ran} of ` : '';
  return [
    ...known,
    `none of ${plural(names.length, members)} and ${part}${plural(pairs.length, 'pair')} is an outlier: ${typically}`,
  ];
}

/**
 * Returns the last sentences about a run that measured pairs of hosts: whether configurations are missing, whether byte counters
 * confirm the transport, and the result of the data checks. Those that do not apply are left out.
 */
export function verificationSentences(plan: RunPlan, cells: readonly CellRecord[]): string[] {
  const ok = cells.filter(isOk);
  return [
    missingSentence(expectedCells(plan, cells), ok),
    evidenceSentence(cells, plan),
    verificationSentence(ok),
  ].filter((text) => text !== '');
}

/**
 * Returns the results of a run of pairs, or of a search for slow hosts, as the `summary` of a run record.
 * @param found sentences about the results; default: verdict on all pairs
 */
export const pairsSummary = (
  plan: RunPlan,
  cells: readonly CellRecord[],
  found: readonly string[] = pairsSentences(pairsOverview(plan, cells)),
): RunSummary =>
  summaryWith(cells, expectedCells(plan, cells), [...found, ...verificationSentences(plan, cells)]);

/**
 * Returns the number of configurations that the run should have: the planned ones. A search for a faulty host (`--bisect`) decides
 * while it runs what to measure, so for it the number is that of all results, failed ones included.
 */
export const expectedCells = ({ pairs, expected }: RunPlan, cells: readonly CellRecord[]): number =>
  pairs?.bisect === undefined ? expected.cells : cells.length;

export type PairMeasure = PairFinding['measure'];

/** Returns the bandwidth of a pair in GB/s or its latency in ns, as `measure` says; null if that was not measured. */
export const pairValue = ({ GBps, latencyNs }: PairFigure, measure: PairMeasure): number | null =>
  measure === 'bandwidth' ? GBps : latencyNs;

/**
 * Returns the median over all pairs that ran: bandwidth in GB/s or latency in ns, as `measure` says; null if none has such a value.
 */
export const typicalPair = ({ typicalGBps, typicalLatencyNs }: PairsOverview, measure: PairMeasure) =>
  measure === 'bandwidth' ? typicalGBps : typicalLatencyNs;

/**
 * Returns the speed of a pair of hosts divided by that of the median pair of the run: above 1 if the pair is faster; null if either
 * is unknown. For latencies the ratio is inverted, so that a smaller value always means slower.
 * @param one results of all pairs over one transport
 * @param measure bandwidth or latency
 */
export function pairShare(one: PairsOverview, pair: PairFigure, measure: PairMeasure): number | null {
  const [value, typical] = [pairValue(pair, measure), typicalPair(one, measure)];
  if (value === null || typical === null) return null;
  return measure === 'bandwidth' ? value / typical : typical / value;
}

/**
 * The unit in which a table or heatmap writes all bandwidths or latencies. `text` converts a value from GB/s or ns to this unit and
 * rounds it to at most four characters: "0.52", "9.80", "9999". From 10,000 on and below 0.01 it has an SI prefix: "12k", "4.2m".
 */
export interface FigureScale {
  unit: string;
  text(value: number): string;
}

const units = {
  bandwidth: [
    [1, 'GB/s'],
    [1e-3, 'MB/s'],
    [1e-6, 'kB/s'],
  ],
  latency: [
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ],
} as const;

/** SI prefixes for values that two decimals or four digits cannot show, each with its factor, in ascending order. */
const prefixes = [
  [1e-9, 'n'],
  [1e-6, 'µ'],
  [1e-3, 'm'],
  [1e3, 'k'],
  [1e6, 'M'],
  [1e9, 'G'],
] as const;

/**
 * Returns the unit in which a table or heatmap of host pairs writes all its values. It is the largest unit of which `typical` is at
 * least one, else the smallest.
 * @param typical median of the bandwidths in GB/s, or of the latencies in ns
 */
export function figureScale(measure: PairMeasure, typical: number): FigureScale {
  const [size, unit] = units[measure].find(([least]) => typical >= least) ?? units[measure][2];
  return { unit, text: (value) => fourCharacters(value / size) };
}

function fourCharacters(value: number): string {
  if (value === 0) return '0';
  if (value >= 0.01 && value < 1) return value.toFixed(2);
  const whole = Math.round(value);
  if (value >= 1 && whole < 10_000) return value >= 1000 ? String(whole) : threeDigits(value);
  const [size, prefix] = prefixes.find(([one]) => Math.round(value / one) < 1000) ?? prefixes[5];
  const scaled = value / size;
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${prefix}`;
}
