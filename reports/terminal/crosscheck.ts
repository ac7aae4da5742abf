// Table for a terminal of at least 80 columns: the times of one collective as nccl-tests (or OSU) and collbench measured them on
// the same GPUs.
import pc from 'picocolors';
import type { CrosscheckCollective, CrosscheckRecord, CrosscheckSize } from '../../results/schema/index.ts';
import type { IntervalBounds } from '../../results/units.ts';
import { callsPerSample, samples } from '../../suites/crosscheck/plan.ts';
import { formatTime, plural, sizeFlag, sizeText, unknownSpread, usefulEnds, wrap } from '../wording.ts';
import { column, headLine, line, overLine } from './columns.ts';

const width = 80;
/**
 * Minimum ratio of the host's enqueue time to the time that nccl-tests prints from which a sentence says that the printed time is
 * mainly enqueue time.
 */
const hostBound = 0.8;

/** Formats a time in microseconds, below 10 s with at most seven characters: "4.71", "640.1", "5233"; "-" for null. */
export function microseconds(ns: number | null): string {
  if (ns === null) return '-';
  const us = ns / 1000;
  return us.toFixed(us < 99.995 ? 2 : us < 999.95 ? 1 : 0);
}

/** Lowest time, ns, that microseconds() formats with more characters than the columns of times have. */
const tooLongNs = 9_999_999_500;

/** Formats a time for a column in microseconds, in at most seven characters; a time of 10 s or more has its unit: "12.3 s". */
const timeCell = (ns: number | null): string =>
  ns !== null && ns >= tooLongNs ? formatTime(ns) : microseconds(ns);

/** Formats a share (0 to 1) as a percentage without "%", which the table's head has; "-" for null. */
const percent = (share: number | null): string =>
  share === null ? '-' : (share * 100).toFixed(share < 0.0995 ? 1 : 0);

const ratioText = (ratio: number): string => ratio.toFixed(ratio < 9.9995 ? 3 : 1);

const columns = [
  column('size', 'size', 6),
  column('theirs', 'theirs', 7),
  column('ours', 'ours', 7, 'right', 1),
  column('ratio', 'ratio', 5),
  column('interval', '95 %', 11, 'right', 1),
  column('theirSpread', 'theirs', 6, 'right', 1),
  column('ourSpread', 'ours', 5, 'right', 1),
  column('latency', 'latency', 7),
  column('enqueue', 'enqueue', 7, 'right', 1),
  column('verdict', 'verdict', 7, 'right', 1),
];

/**
 * Returns those ends of a ratio's interval that are within a factor of ten of the ratio, in at most 11 characters if they are below
 * 1000: "0.956-1.091", "from 1.54", "up to 1.70", "unknown".
 */
function narrowRange(ratio: number, interval: IntervalBounds): string {
  const { low, high } = usefulEnds(ratio, interval);
  if (low !== null && high !== null) return `${ratioText(low)}-${ratioText(high)}`;
  if (low !== null) return `from ${ratioText(low)}`;
  return high === null ? unknownSpread : `up to ${ratioText(high)}`;
}

const cellsOf = (size: CrosscheckSize): Record<string, string> => ({
  size: sizeFlag(size.payloadBytes),
  theirs: timeCell(size.theirsNs),
  ours: timeCell(size.oursNs),
  ratio: ratioText(size.ratio),
  interval: size.interval === null ? '-' : narrowRange(size.ratio, size.interval),
  theirSpread: percent(size.theirsSpread),
  ourSpread: percent(size.oursSpread),
  latency: timeCell(size.isolatedNs),
  enqueue: timeCell(size.enqueueNs),
  verdict: size.isFaster ? 'faster' : size.verdict,
});

function titleOf(
  { collective, dtype, op, ranks, devices, sizes }: CrosscheckCollective,
  { library: { version }, peer }: Pick<CrosscheckRecord, 'library' | 'peer'>,
): string {
  const what = [collective, dtype, ...(op === null ? [] : [op])].join(' ');
  const on = devices.length === 0 ? '' : ` (${devices.join(', ')})`;
  const rounds = Math.max(0, ...sizes.map((size) => size.rounds));
  const by = peer === 'OSU' ? `${ranks} ranks · ${version}` : `${ranks} GPUs${on} · NCCL ${version}`;
  return `${what} · ${by} · ${plural(rounds, 'round')}`;
}

/** Returns one line for each reason why sizes were not compared, with these sizes. */
function skippedLines(skipped: CrosscheckCollective['skipped']): string[] {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const sizes = skipped.filter((size) => size.reason === reason);
    return `not compared: ${sizes.map(({ requestedBytes }) => sizeText(requestedBytes)).join(', ')} (${reason})`;
  });
}

/**
 * Returns the comparison of collbench's times with those of nccl-tests or OSU for one collective: a table with a line per size, and
 * sentences. The text is 80 characters wide and ends with an empty line.
 * @param record properties of the whole crosscheck: library, medium, and the other benchmark (`peer`)
 */
export function crosscheckText(
  result: CrosscheckCollective,
  record: Pick<CrosscheckRecord, 'library' | 'medium' | 'peer'>,
  color: boolean,
): string {
  const { red, yellow, bold, dim } = pc.createColors(color);
  const paint = { agree: String, unsure: yellow, differ: red };
  const sentences = [
    ...(result.ncclVersion === null && record.peer !== 'OSU'
      ? ['nccl-tests does not say which NCCL it loaded: it may be another one.']
      : []),
    ...skippedLines(result.skipped),
    ...(result.summary?.sentences ?? []),
    ...launchText(result.sizes),
  ];
  const lines = [
    ...(record.medium === 'emulated' ? ['EMULATED: a stand-in for libnccl and the GPUs'] : []),
    bold(titleOf(result, record)),
    dim(
      overLine(columns, [
        ['time, µs', 'theirs', 'ours'],
        ['ours / theirs', 'ratio', 'interval'],
        ['scatter, %', 'theirSpread', 'ourSpread'],
        ['ours, µs', 'latency', 'enqueue'],
      ]),
    ),
    dim(headLine(columns)),
    ...result.sizes.map((size) => paint[size.verdict](line(columns, cellsOf(size)))),
    '',
    ...sentences.flatMap((text) => wrap(text, width)),
  ];
  return `${lines.join('\n')}\n\n`;
}

/**
 * Returns a sentence for readers who know nccl-tests: up to which size its printed time consists mainly (at least 80 %) of the time
 * in which the host enqueues calls. Empty if there is no such size or the enqueue cost is unknown.
 */
function launchText(sizes: readonly CrosscheckSize[]): string[] {
  const bound = sizes.filter(
    ({ enqueueNs, theirsNs }) => enqueueNs !== null && enqueueNs >= hostBound * theirsNs,
  );
  const [smallest] = bound;
  const largest = bound.at(-1);
  if (smallest === undefined || largest === undefined) return [];
  const { payloadBytes, enqueueNs, theirsNs, isolatedNs } = smallest;
  const alone =
    isolatedNs === null ? '' : ` The collective alone takes ${microseconds(isolatedNs)} µs there (latency).`;
  return [
    `Up to ${sizeText(largest.payloadBytes)} the time nccl-tests prints is the enqueue cost of the host, not the collective: at ${sizeText(payloadBytes)} enqueuing one call takes ${microseconds(enqueueNs)} µs of the ${microseconds(theirsNs)} µs, and the GPUs wait for the next.${alone} CUDA graphs (nccl-tests -G) avoid that cost.`,
  ];
}

/** Returns how nccl-tests was run: number of ranks, and whether they were threads of one process or processes as in collbench. */
function setUpText({ ranks, processes }: CrosscheckCollective): string {
  if (processes > 1) {
    return `nccl-tests ran under mpirun -np ${ranks} with -t 1 -g 1: one process per GPU, as our ranks and training jobs are.`;
  }
  return `nccl-tests ran with -t ${ranks} -g 1: one thread per GPU, so that all GPUs are launched in parallel, as by our ranks; with -g ${ranks} one thread would launch for all of them. It is one process, in which NCCL reads and writes peers' buffers directly (P2P/direct pointer); our ranks are one process per GPU, as training jobs are (P2P/CUMEM). Small differences between 256 KiB and 4 MiB come from there: build nccl-tests anew with MPI=1 for the same set-up.`;
}

/** Returns texts about how the OSU benchmarks were run, and what the columns mean. */
const osuTexts = (results: readonly CrosscheckCollective[]): string[] => [
  `theirs: what OSU prints${results[0]?.version == null ? '' : ` (${results[0].version})`}; ${samples * callsPerSample} calls, each after an MPI_Barrier, own time of each rank, mean. ours: the same mean of as many calls of engine mpi that all ranks start at a common instant. Each round gives one result of each, from new processes; the order alternates.`,
  agreeText(''),
  'latency: end of the slowest rank minus the common start, median. Both used the same MPI, limited to that transport. OSU waits in MPI_Barrier before each call: its ranks leave it at different times, which shows most at small sizes.',
];

/** Returns one text for each way in which nccl-tests was run. If there are several ways, each text names its collectives. */
function setUpTexts(results: readonly CrosscheckCollective[]): string[] {
  const texts = [...new Set(results.map(setUpText))];
  if (texts.length < 2) return texts;
  return texts.map((text) => {
    const names = results.filter((result) => setUpText(result) === text).map(({ collective }) => collective);
    return `${names.join(', ')}: ${text}`;
  });
}

/**
 * Returns the explanation of the columns ratio, scatter and verdict.
 * @param ours end of the clause about scatter: ", ours of those medians" says from which values of collbench it is computed
 */
const agreeText = (ours: string): string =>
  `ratio: within each round, with its 95 % interval over the rounds. scatter: standard deviation between rounds${ours}. agree: the interval lies within 1 % from 1 MiB up, within 3 % below, where faster is fine, too.`;

/** Explanation of the columns, printed once below all tables. */
const legend = [
  `theirs: out-of-place time of nccl-tests; ${callsPerSample} calls queued one after the other, elapsed time by their number, mean over ranks. ours: median of ${samples} such samples. Each round gives one result of each, from new processes; the order alternates.`,
  agreeText(', ours of those medians'),
  'latency: one operation alone, all ranks at a common instant, without enqueue cost. enqueue: host time to enqueue one call.',
];

const verdictTexts = {
  agree: 'agree.',
  differ: 'DIFFER.',
  unsure: 'NO VERDICT: the machine scatters too much for so few rounds. Next: more --rounds',
};

const verdictText = (verdict: keyof typeof verdictTexts, peer: string): string =>
  verdict === 'unsure' ? verdictTexts.unsure : `collbench and ${peer} ${verdictTexts[verdict]}`;

/**
 * Returns the text printed after a comparison with nccl-tests or OSU: explanation of the columns (unless no collective has
 * results), verdict (unless it is null), and the file that has the figures of all rounds. It ends with a newline.
 * @param file path of that file
 */
export function crosscheckFoot(
  { collectives, verdict, peer = 'nccl-tests' }: Pick<CrosscheckRecord, 'collectives' | 'verdict' | 'peer'>,
  file: string,
): string {
  const isShown = collectives.some(({ summary }) => summary !== null);
  const lines = isShown
    ? [
        ...(peer === 'OSU' ? osuTexts(collectives) : [...legend, ...setUpTexts(collectives)]).flatMap(
          (text) => wrap(text, width),
        ),
        '',
      ]
    : [];
  return [
    ...lines,
    ...(verdict === null ? [] : [verdictText(verdict, peer)]),
    `all rounds: ${file}`,
    '',
  ].join('\n');
}
