import { nameOfRun } from '../../results/compare/run.ts';
import { retriedSentence } from '../../results/derive/index.ts';
import {
  type CellRecord,
  engineRow,
  measuredOf,
  type RunRecord,
  whatOf,
} from '../../results/schema/index.ts';
import { type DocumentBlock, namedParagraph } from '../document/blocks.ts';
import { importedSentence } from '../imported.ts';
import { launchesText, precisionText } from '../precision.ts';
import { resumedSentence, waitedSentence } from '../resume-lines.ts';
import { derivedRows, figureRow, timesOnDevice, workloadRowOf, xOfPlan } from '../rows.ts';
import { isOk, type ReportRun, type SeriesGroup } from '../series.ts';
import { formatCount, joinWords, manyOf, plural, valueRange } from '../wording.ts';
import { deviceMethod } from './device.ts';

/**
 * Returns the chapter that explains how results were measured. Imported runs, which collbench did not measure, have other
 * paragraphs.
 */
export function method(all: readonly ReportRun[], groups: readonly SeriesGroup[]): DocumentBlock[] {
  const own = all.filter(({ record }) => record.plan.imported === undefined);
  return [
    ...all.flatMap((run) => importedText(run, all.length > 1)),
    ...(own.length > 0 ? ownMethod(own, groups) : bandwidthText(all)),
  ];
}

/**
 * Returns a paragraph about an imported run: which statistic its times are, and which facts the program that measured does not
 * state. Empty for other runs.
 * @param several true if the report has several runs; the text then names the run
 */
function importedText(run: ReportRun, several: boolean): DocumentBlock[] {
  const { imported } = run.record.plan;
  if (imported === undefined) return [];
  const name = several ? `Run ${nameOfRun(run.record)} was ` : 'The run was ';
  const text = `${name}${importedSentence(run)}. collbench measured nothing. A time is the ${imported.statistic}. Not stated: ${imported.unknown.join(', ')}. There are no intervals and no evidence of the transport. Converted: ${imported.conversions.join('; ')}. The original text of each configuration is in cells.ndjson.`;
  return [namedParagraph('Imported', text)];
}

function bandwidthText(runs: readonly ReportRun[]): DocumentBlock[] {
  const rows = [
    ...new Map(runs.flatMap((r) => r.record.plan.workloads).map((row) => [row.name, row])).values(),
  ];
  const told = new Set(
    rows.flatMap((row) =>
      derivedRows(row).map(({ name, definition = '' }) =>
        definition.replace('{factors}', factorsText(runs, name)),
      ),
    ),
  );
  if (told.size === 0) return [];
  return [namedParagraph('Bandwidth', `${[...told].join(' ')} 1 GB = 10⁹ bytes, 1 GiB = 2³⁰ bytes.`)];
}

function ownMethod(runs: readonly ReportRun[], groups: readonly SeriesGroup[]): DocumentBlock[] {
  const cells = runs.flatMap((r) => r.cells.filter(isOk));
  const plan = runs[0]?.record.plan;
  const clocks = joinWords([...new Set(cells.flatMap((c) => measuredOf(c, 'latency')?.method.clock ?? []))]);
  const batches = cells.flatMap((c) => measuredOf(c, 'pipelined')?.method.batch ?? []);
  const samples = cells.flatMap((c) => measuredOf(c, 'latency')?.samples ?? []);
  const launches = plan?.sampling.launches ?? 1;
  const algorithms = joinWords([...new Set(cells.map((c) => c.choice.algorithm))]);
  const check = plan?.sampling.check ?? 0;
  const warmups = plural(plan?.sampling.warmup ?? 0, 'untimed operation');
  const engines = runs.map((r) => engineRow(r.record.plan));
  const onDevice = runs.map((r) => timesOnDevice(r.record.plan));
  const known = plan?.workloads.flatMap((row) => figureRow(row, 'pipelined')?.sameAs ?? [])[0];
  const isNever = !onDevice.includes(true);
  const apart = `${known === undefined ? (isNever ? 'is ' : '') : `is the figure that ${known} prints, and `}${isNever ? 'never mixed with isolated latency in one chart' : 'stands beside the latency in no chart but the one that tells the two apart'}`;
  const x = plan === undefined ? undefined : xOfPlan(plan);
  const isolated = namedParagraph(
    'Isolated latency',
    `The ranks agree on a start in the near future, spin until then and begin together. The time of one operation is the latest end over the ranks minus that common start${clocks === '' ? '' : ` (clock: ${clocks})`}. Operations that some rank began late are counted and not used. ${samples.length === 0 ? '' : `There are ${valueRange(samples, formatCount)} samples per configuration.`}`,
  );
  const emulated = namedParagraph(
    'Emulated media',
    'Where a row says emulated, a software device replaces the card: times and bandwidths are those of this machine’s memory and of the link model named, and say nothing about the real adapter.',
  );
  const paths = [
    ...engines
      .filter(({ evidence }) => evidence === 'log')
      .slice(0, 1)
      .map(
        ({ title }) =>
          ` ${title}’s own log says by which paths it connected the ranks and which network it used.`,
      ),
    ...(engines.some(({ evidence }) => evidence === 'loads')
      ? [' NVSHMEM’s ranks map the memory of all others, so that loads and stores go from GPU to GPU.']
      : []),
  ];
  return [
    ...deviceMethod(runs),
    ...(onDevice.includes(false) ? [isolated] : []),
    namedParagraph(
      'Pipelined interval',
      `Operations follow one another without waiting for a common start; a sample is elapsed time over the number of operations in it${batches.length === 0 ? '' : ` (batches of ${valueRange(batches, formatCount)})`}. It ${apart}.`,
    ),
    namedParagraph(
      'Replication',
      `Each configuration is measured in ${plan === undefined ? plural(launches, 'launch', 'launches') : launchesText(plan.sampling)} of all rank processes, each block after ${warmups}. The transports are interleaved in short blocks in random order (seed ${plan?.sampling.seed ?? 0}), so that drift affects all equally. No sample is dropped.${precisionText(plan)}`,
    ),
    ...perRun(runs, 'Quiet hosts', waitedText, 'The run '),
    ...perRun(runs, 'Resumed', resumedText),
    ...perRun(runs, 'Disturbed configurations', retriedText),
    namedParagraph(
      'Intervals',
      `Every time is a median${launches > 1 ? ': the geometric mean of the launch medians. Its 95 % interval is that between launches, computed from the logarithms of their medians.' : ' over the samples of one launch. Its 95 % interval is corrected for autocorrelation and holds for this launch only: another launch may differ by more.'} With too few samples there is no interval, and the reason is given.`,
    ),
    ...bandwidthText(runs),
    namedParagraph(
      'Verification',
      check > 0
        ? `Buffers carry data that differ by rank, index and iteration; outputs are poisoned before, and the first, the last and every ${check === 1 ? '' : `${ordinal(check)} `}timed result is compared element by element.`
        : 'Verification was switched off.',
    ),
    namedParagraph(
      'Evidence',
      `Transport and interface byte counters are compared with the traffic that the algorithm requires. Confirmed: they agree. Contradicted: the bytes used another path. Unproven: the counters do not show it.${paths.join('')}`,
    ),
    {
      kind: 'paragraph',
      text: [
        { strong: 'Crossovers' },
        ` are interpolated linearly in ${x?.unit === 'B' ? 'bytes' : `the ${x?.noun}`} between neighbouring ${manyOf(x?.noun ?? 'size')}; the grey zone is where the intervals of the two overlap.${algorithms === '' ? '' : ` Algorithms used: ${algorithms}.`}`,
      ],
    },
    ...(groups.some((g) => g.series.some((s) => s.medium === 'emulated')) ? [emulated] : []),
  ];
}

/**
 * Returns a paragraph for each run about which `textOf` returns a text.
 * @param lead start of the paragraph if the report has a single run; with several runs it is the run's name
 */
function perRun(
  runs: readonly ReportRun[],
  head: string,
  textOf: (record: RunRecord) => string,
  lead = '',
): DocumentBlock[] {
  return runs.flatMap(({ record }) => {
    const text = textOf(record);
    const name = runs.length > 1 ? `Run ${nameOfRun(record)}${lead === '' ? ': ' : ' '}` : lead;
    return text === '' ? [] : [namedParagraph(head, `${name}${text}`)];
  });
}

const waitedText = (record: RunRecord): string => {
  const sentence = waitedSentence(record);
  return sentence === '' ? '' : `${sentence}.`;
};

/**
 * Returns sentences that say when the run was resumed, that incomplete configurations were measured again as a whole, and which
 * differences the user accepted; '' if the run was not resumed.
 */
function resumedText(record: RunRecord): string {
  const sentence = resumedSentence(record);
  const differences = (record.resumed ?? []).flatMap((one) => one.differences);
  const other = differences.length === 0 ? '' : ` Accepted differences: ${differences.join('; ')}.`;
  return sentence === ''
    ? ''
    : `${sentence}. Configurations with a missing block were measured again with all their launches, by the same plan and seed; their earlier blocks are kept with the samples but not used.${other}`;
}

function retriedText(record: RunRecord): string {
  const sentence = retriedSentence(record);
  return sentence === ''
    ? ''
    : `${sentence}. A second measurement replaces the first only if it was quiet, whichever is faster. The samples of both are kept.`;
}

function ordinal(n: number): string {
  const tail = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${tail}`;
}

/**
 * Returns the factors by which a derived value is multiplied after size is divided by time, for each operation and rank count:
 * "allreduce 1 at 2 ranks". "no configuration was measured" if none has a factor.
 * @param name name of the derived value, such as bus bandwidth
 */
function factorsText(runs: readonly ReportRun[], name: string): string {
  const seen = runs.flatMap(({ record: { plan }, cells }) =>
    cells.flatMap((cell) => {
      const factor = factorIn(cell, name);
      if (factor === undefined) return [];
      const what = whatOf(workloadRowOf(plan, cell), cell.axes);
      return [`${what} ${Number(factor.toPrecision(4))} at ${plural(cell.ranks, 'rank')}`];
    }),
  );
  return seen.length === 0 ? 'no configuration was measured' : joinWords([...new Set(seen)]);
}

/**
 * Returns the stored factor by which size over time was multiplied to get a derived value (such as bus bandwidth) of a
 * configuration. Undefined if the configuration has no such value.
 * @param name name of the derived value
 */
function factorIn(cell: CellRecord, name: string): number | undefined {
  if (cell.status !== 'ok') return undefined;
  for (const figure of cell.figures)
    if (figure.kind === 'derived' && figure.name === name && figure.factor !== undefined)
      return figure.factor;
  return undefined;
}
