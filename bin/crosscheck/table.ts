// One collective as a table of at most 80 columns, and what its figures are.
import type pc from 'picocolors';
import { wrap } from '../../results/text.ts';
import { sizeFlag, sizeText } from '../../results/units.ts';
import { samples } from './ours.ts';
import type { CollectiveResult, SizeResult } from './rounds.ts';
import { iterations } from './theirs.ts';

type Colours = ReturnType<typeof pc.createColors>;
const width = 80;
/** Share of the printed time from which on the host's queueing is what the figure shows. */
const hostBound = 0.8;

/** Microseconds in at most seven characters: "4.71", "640.1", "5233". */
export function microseconds(ns: number | null): string {
  if (ns === null) return '-';
  const us = ns / 1000;
  return us.toFixed(us < 99.995 ? 2 : us < 999.95 ? 1 : 0);
}

const percent = (share: number | null): string => {
  if (share === null) return '-';
  const value = share * 100;
  return value.toFixed(value < 9.95 ? 1 : 0);
};

const ratioText = (ratio: number): string => ratio.toFixed(ratio < 9.9995 ? 3 : 1);

const verdictText = ({ verdict, isFaster }: SizeResult): string => (isFaster ? 'faster' : verdict);

interface Column {
  head: string;
  width: number;
  gap: number;
  cell: (size: SizeResult) => string;
}

const columns: readonly Column[] = [
  { head: 'size', width: 6, gap: 0, cell: ({ payloadBytes }) => sizeFlag(payloadBytes) },
  { head: 'theirs', width: 7, gap: 2, cell: ({ theirsNs }) => microseconds(theirsNs) },
  { head: 'ours', width: 7, gap: 1, cell: ({ oursNs }) => microseconds(oursNs) },
  { head: 'ratio', width: 5, gap: 2, cell: ({ ratio }) => ratioText(ratio) },
  {
    head: '95 %',
    width: 11,
    gap: 1,
    cell: ({ interval }) =>
      interval === null ? '-' : `${ratioText(interval.low)}-${ratioText(interval.high)}`,
  },
  { head: 'theirs', width: 6, gap: 1, cell: ({ theirsSpread }) => percent(theirsSpread) },
  { head: 'ours', width: 5, gap: 1, cell: ({ oursSpread }) => percent(oursSpread) },
  { head: 'latency', width: 7, gap: 2, cell: ({ isolatedNs }) => microseconds(isolatedNs) },
  { head: 'launch', width: 6, gap: 1, cell: ({ launchNs }) => microseconds(launchNs) },
  { head: 'verdict', width: 7, gap: 1, cell: verdictText },
];

const line = (cells: readonly string[]): string =>
  columns.map(({ width: wide, gap }, i) => ' '.repeat(gap) + (cells[i] as string).padStart(wide)).join('');

/** Words over neighbouring columns, centred. */
function over(groups: readonly (readonly [text: string, from: number, to: number])[]): string {
  let text = '';
  for (const [word, from, to] of groups) {
    const start = columns.slice(0, from).reduce((sum, { width: wide, gap }) => sum + wide + gap, 0);
    const span = columns.slice(from, to + 1).reduce((sum, { width: wide, gap }) => sum + wide + gap, 0);
    text = text.padEnd(start + Math.max(1, Math.floor((span - word.length + 1) / 2))) + word;
  }
  return text;
}

export function titleOf(result: CollectiveResult, rounds: number, ncclVersion: string): string {
  const { collective, dtype, op, ranks, devices } = result;
  const what = [collective, dtype, ...(op === null ? [] : [op])].join(' ');
  const on = devices.length === 0 ? '' : ` (${devices.join(', ')})`;
  return `${what} · ${ranks} GPUs${on} · NCCL ${ncclVersion} · ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
}

function paint(size: SizeResult, text: string, colours: Colours): string {
  if (size.verdict === 'differ') return colours.red(text);
  return size.verdict === 'unsure' ? colours.yellow(text) : text;
}

/** Sizes of equal reason in one line. */
function skippedLines(skipped: CollectiveResult['skipped']): string[] {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const sizes = skipped.filter((size) => size.reason === reason);
    return `not compared: ${sizes.map(({ requestedBytes }) => sizeText(requestedBytes)).join(', ')} (${reason})`;
  });
}

/** Title, heads, rows, verdict: lines without line feeds. */
export function tableLines(
  result: CollectiveResult,
  rounds: number,
  ncclVersion: string,
  colours: Colours,
): string[] {
  return [
    colours.bold(titleOf(result, rounds, ncclVersion)),
    colours.dim(
      over([
        ['time, us', 1, 2],
        ['ours / theirs', 3, 4],
        ['scatter, %', 5, 6],
        ['ours, us', 7, 8],
      ]),
    ),
    colours.dim(line(columns.map(({ head }) => head))),
    ...result.sizes.map((size) => paint(size, line(columns.map(({ cell }) => cell(size))), colours)),
    '',
    ...(result.ncclVersion === null
      ? wrap('nccl-tests does not say which NCCL it loaded: it may be another one.', width)
      : []),
    ...skippedLines(result.skipped).flatMap((text) => wrap(text, width)),
    ...(result.summary?.sentences ?? []).flatMap((sentence) => wrap(sentence, width)),
    ...launchLines(result.sizes),
  ];
}

/** For a reader who knows only nccl-tests: which of its times are not the collective. */
export function launchLines(sizes: readonly SizeResult[]): string[] {
  const bound = sizes.filter(
    ({ launchNs, theirsNs }) => launchNs !== null && launchNs >= hostBound * theirsNs,
  );
  const [smallest] = bound;
  const largest = bound.at(-1);
  if (smallest === undefined || largest === undefined || smallest.launchNs === null) return [];
  const alone =
    smallest.isolatedNs === null
      ? ''
      : ` The collective alone takes ${microseconds(smallest.isolatedNs)} us there (latency).`;
  const text =
    `Up to ${sizeText(largest.payloadBytes)} the time nccl-tests prints is the host's launching, not the collective: ` +
    `at ${sizeText(smallest.payloadBytes)} queueing one call takes ${microseconds(smallest.launchNs)} us of the ` +
    `${microseconds(smallest.theirsNs)} us, and the GPUs wait for the next.${alone} CUDA graphs (nccl-tests -G) leave ` +
    'the launching out.';
  return wrap(text, width);
}

/** How nccl-tests was run, and how far that is from how our ranks run. */
function setUpText({ ranks, processes }: CollectiveResult): string {
  if (processes > 1) {
    return `nccl-tests ran under mpirun -np ${ranks} with -t 1 -g 1: one process per GPU, as our ranks and training jobs are.`;
  }
  return (
    `nccl-tests ran with -t ${ranks} -g 1: one thread per GPU, so that all GPUs are launched side by side, as by our ` +
    `ranks; with -g ${ranks} one thread would launch for all of them. It is one process, in which NCCL reads and writes ` +
    "peers' buffers directly (P2P/direct pointer); our ranks are one process per GPU, as training jobs are (P2P/CUMEM). " +
    'Small differences between 256 KiB and 4 MiB come from there: build nccl-tests anew with MPI=1 for the same set-up.'
  );
}

/** A sentence for each way nccl-tests was run, naming the collectives where there are several. */
function setUpTexts(results: readonly CollectiveResult[]): string[] {
  const texts = [...new Set(results.map(setUpText))];
  if (texts.length < 2) return texts;
  return texts.map((text) => {
    const names = results.filter((result) => setUpText(result) === text).map(({ collective }) => collective);
    return `${names.join(', ')}: ${text}`;
  });
}

/** What the columns mean, once for all tables. */
export function legendLines(results: readonly CollectiveResult[]): string[] {
  return [
    `theirs: out-of-place time of nccl-tests; ${iterations} calls queued one after the other, elapsed time by their number, mean over ranks. ours: median of ${samples} such samples. Out of each round one figure of each, from processes started anew; the order alternates.`,
    'ratio: within each round, with its 95 % interval over the rounds. scatter: standard deviation between rounds, ours of those medians. agree: the interval lies within 1 % from 1 MiB up, within 3 % below, where faster is fine, too.',
    'latency: one operation alone, all ranks at a common instant, launching kept out. launch: what the host needs to queue one call.',
    ...setUpTexts(results),
  ].flatMap((text) => wrap(text, width));
}
