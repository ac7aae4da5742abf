import { maxIntervalSpan, minSizesOfRange } from '../../../results/derive/statistics/figure-interval.ts';
import { launchesAlone } from '../../../suites/planning/sampling-plan.ts';
import { type FlagLimits, flagTable } from '../flags/table.ts';
import type { IntervalCoverage } from './coverage.ts';
import type { GateOutcome } from './gate.ts';
import { coverageBounds, maxOracleRatio } from './misses.ts';
import type { PoolRow } from './pool-nights.ts';
import type { SimulatedShare } from './random.ts';
import type { SeparateRuns } from './separate-runs.ts';
import type { StalledCoverage } from './stalls.ts';
import type { WanderCoverage } from './wander.ts';

export interface GateRow {
  what: string;
  outcome: GateOutcome;
}

/** Results of nights drawn from one pool of recorded launches. */
export interface PoolNights {
  name: string;
  machine: string;
  command: string;
  note: string;
  groups: number;
  cells: number;
  /** Minimum number of launches over all entries. */
  launches: number;
  /** Launches per arm in a night: of small sizes, and of others. */
  arms: number[];
  rows: PoolRow[];
}

export interface TruthReport {
  command: string;
  node: string;
  within: IntervalCoverage[];
  stop: IntervalCoverage[];
  between: IntervalCoverage[];
  launchProfiles: IntervalCoverage[];
  addedLaunches: IntervalCoverage[];
  wander: WanderCoverage[];
  recorded: IntervalCoverage[];
  stalls: StalledCoverage[];
  separateRuns: SeparateRuns[];
  alarms: GateRow[];
  power: GateRow[];
  pools: PoolNights[];
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const shareText = ({ share, low, high }: SimulatedShare): string =>
  `${percent(share)} (${percent(low)} to ${percent(high)})`;
const table = (head: string[], rows: string[][]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

/** Text about a coverage that is too low, or certainly too high; "" if it is neither. */
function judgement({ covered, shownShare = 1 }: Pick<IntervalCoverage, 'covered' | 'shownShare'>): string {
  if (covered.low > coverageBounds.high) return 'wider than it need be';
  if (shownShare < coverageBounds.low)
    return `in ${percent(1 - shownShare)} of cases all launches are of one state`;
  if (covered.share < coverageBounds.low) return '**too narrow**';
  return '';
}

function coverageTable(rows: readonly IntervalCoverage[]): string {
  return table(
    ['of what', 'covers the truth', 'half width', ''],
    rows.map((row) => [row.what, shareText(row.covered), percent(row.halfWidth), judgement(row)]),
  );
}

const wanderTable = (rows: readonly WanderCoverage[]): string =>
  table(
    ['of what', 'covers the truth', 'half width', 'worst of a run', ''],
    rows.map((row) => [
      ...[row.what, shareText(row.covered), percent(row.halfWidth), percent(row.worst)],
      judgement(row),
    ]),
  );

const stallTable = (rows: readonly StalledCoverage[]): string =>
  table(
    ['of what', 'covers the truth', 'half width', 'over the oracle', 'given in', '', 'where none is given'],
    rows.map(({ what, found, given, reason }) => {
      const why = reason ?? '';
      if (found === null) return [what, '', '', '', percent(given.share), '', why];
      const { covered, halfWidth, oracle } = found;
      const over = halfWidth / oracle;
      const notes = [judgement({ covered }), over > maxOracleRatio ? '**wide**' : ''].filter(
        (note) => note !== '',
      );
      return [
        ...[what, shareText(covered), percent(halfWidth), over.toFixed(2)],
        ...[percent(given.share), notes.join(', '), why],
      ];
    }),
  );

const separateTable = (rows: readonly SeparateRuns[]): string =>
  table(
    [
      'runs',
      'earlier',
      'pairs',
      'false alarm of compare',
      'false red of the gate',
      'found by compare',
      'by the gate',
    ],
    rows.map(({ transport, runSd, earlier, compare, gate, found }) => [
      `${transport}, ${percent(runSd)} between runs`,
      ...[earlier, compare.of].map(String),
      ...[compare, gate, found.compare, found.gate].map(shareText),
    ]),
  );

const gateTable = (rows: readonly GateRow[]): string =>
  table(
    ['nights', 'how many', 'suspected', 'red after measuring again', 'found'],
    rows.map(({ what, outcome }) => [
      what,
      String(outcome.red.of),
      shareText(outcome.suspected),
      shareText(outcome.red),
      outcome.found === null ? '' : shareText(outcome.found),
    ]),
  );

const poolTable = (rows: readonly PoolRow[]): string =>
  table(
    ['nights', 'how many', 'suspected', 'red', 'no verdict', 'found'],
    rows.map(({ what, nights, suspected, red, noVerdict, found }) => [
      what,
      String(nights),
      shareText(suspected),
      shareText(red),
      shareText(noVerdict),
      found === null ? '' : shareText(found),
    ]),
  );

function poolText({ name, machine, command, note, groups, cells, launches, arms, rows }: PoolNights): string {
  const [none] = rows;
  const rate =
    none === undefined
      ? ''
      : `: in 100 nights ${(none.red.share * 100).toFixed(1)} false red lights, ${(none.noVerdict.share * 100).toFixed(1)} without a verdict`;
  return `### ${name}${rate}

${machine}. ${groups} groups and ${cells} sizes, ${launches} launches; ${arms.join(' or ')} of each arm in a night.${note === '' ? '' : ` ${note}`}
Made by runs like \`${command.replace(/\/\S+\//g, '')}\`.

${poolTable(rows)}`;
}

const poolsText = (pools: readonly PoolNights[]): string =>
  pools.length === 0
    ? ''
    : `
## Verdicts: nights of real launches

Many launches of the same cells were recorded, one after another. A night is a random stretch of them, so that slow drift of the
machine is kept: of two neighbours one is of the reference and one of the candidate, at random; the second measurement is the stretch
beside it; scatter is learned from all other launches. The launches of a night are those of the nightly suite (8 of each arm up to
32 KiB, else 5) where the pool is long enough. What judges is the code of
\`collbench suite --gate\` with a reference build. The medians are what was measured; made is only the change, where there is one: the times of
one size range of the candidate, drawn at random, are that much longer. Nights of one pool share launches, so that the intervals say how well
the rate of this pool is known, not that of another day.

${pools.map(poolText).join('\n\n')}
`;

/** Section about the limits of flags; "" if they are not measured. */
const flagSection = (limits: readonly FlagLimits[]): string =>
  limits.length === 0
    ? ''
    : `
## Limits of flags

Made by \`npm run bench:flags\`: runs of one launch beside others that keep so many cores busy (spread over the machine by the
kernel), stop one rank for 2 ms so many times a second, or lose so many of the TCP segments that arrive (nftables in a network
namespace of its own), alternating with undisturbed ones. \`seen\` is what the flag goes by. Six rounds are few: a single bold figure may be chance, as the one
beside 0.2 busy cores shows, of which nearly nothing was seen.

${limits.map(flagTable).join('\n')}
| flag | limit | reason |
|---|---|---|
| \`cpu-busy\`, every core has a rank | 0.2 cores | 2 busy cores, of which 0.5 are seen, move 1 MiB by 41 %; 1 core, of which 0.3 are seen, moves nothing in this table. 0.2 is below that, and above what an undisturbed run shows (0.05) |
| \`cpu-busy\`, cores are free | half of these | up to there, and somewhat beyond, the kernel finds a free core for others: no figure moves |
| \`cpu-busy\`, \`network-busy\`, of loads (\`--beside\`) | not counted | a load is requested. Its threads are of the ranks' processes, whose processor time is taken off; the bytes of its traffic are taken off what interfaces and sockets counted. Others beside it are flagged as ever |
| \`late\` | 5 % of samples | late samples are no part of the figure; pauses that make 2.4 % of them late do not move it; more was not reached |
| \`retransmits\` | 1 in 20 operations | where 21 % and more of the operations send again, 1 MiB moves by 70 to 91 %: a loss shrinks the congestion window (RFC 5681, 3.1), so operations after it are slower, too. Up to 10 % it moves by no more than launches differ in this table. Four rounds on a quieter machine (±4.2 % at 1 MiB) gave +0.3 % at 4 % and +57 % at 7 %: the limit lies between. Small messages move less: 2 to 3 % go with 10 to 13 %, near what launches leave open |
| \`timer-limited\` | clock over 5 % of the span | Hoefler & Belli 2015, 4.2.1 |
| \`clock-unsure\` | clock error over 5 % of the isolated figure | the error is part of an isolated figure in full. Between two network namespaces, which have one clock, it was read as up to 101 µs apart on a busy machine; in all 24 blocks that lay within the stated error (28 to 316 µs). Times without a common clock are the pipelined ones, for messages half of a round trip. From barrier to barrier a collective would contain a round trip between the hosts, twice that error: more than a small collective takes |
| \`skew\` | start spread over 5 % of the figure | a spread is part of the figure in full: 5 % is five times the precision that is wanted |
| \`throttled\` | any reading | cannot be caused on purpose, so not measured. Hardware slowdown lowers the core clocks to a half or less (NVML API reference, nvmlClocksEventReasons): far beyond every interval |
| \`swap\`, \`link-errors\` | any | not measured: the machines at hand have no swap area, and no link that fails on demand. Each stops an operation for longer than it takes; a machine with none has none |
`;

/** Stored figures of bench:truth-history. */
export interface HistoryFigures {
  name: string;
  falseAlarms: { perYear: number };
  found: { step: string; within: { nights: number; percent: number }[] }[];
}

function historySection(figures: readonly HistoryFigures[]): string {
  const shown = [3, 7, 14, 30];
  const rows = figures.map(({ name, falseAlarms, found }) => {
    const steps = found.map(({ within }) =>
      shown.map((nights) => within.find((one) => one.nights === nights)?.percent ?? '').join(', '),
    );
    return `| ${name} | ${falseAlarms.perYear} | ${steps.join(' | ')} |`;
  });
  return `
## Changes over time

Made by \`npm run bench:truth-history\`: what \`collbench history\` calls changed in a year of nights and one series without a change,
and the share of real steps that are known after ${shown.join(', ')} nights, percent.

| nights | false changes a year | +5 % | +10 % |
|---|---|---|---|
${rows.join('\n')}
`;
}

/**
 * Text of docs/truth.md.
 * @param limits results of bench:flags, one for each number of ranks
 */
export function truthDocument(
  truth: TruthReport,
  limits: readonly FlagLimits[] = [],
  history: readonly HistoryFigures[] = [],
): string {
  return `# How far figures and verdicts can be trusted

Made by \`npm run bench:truth\`; the numbers are in \`results/reference/truth.json\`. Everything is seeded: a second start gives
the same. In brackets the 95 % interval of each share (Wilson). Simulations rest on assumed noise, that of \`tests/bench/truth\`;
\`collbench aa\` measures the noise of a machine and what the same rules do there. The rates of \`collbench history\` come from
\`npm run bench:truth-history\`.

A 95 % interval should cover the truth in ${percent(coverageBounds.low)} to ${percent(coverageBounds.high)} of cases: the last column says where it covers less, or more
for certain. A row of intervals below ${percent(coverageBounds.low)}, or above ${maxOracleRatio} times the width of the oracle, fails the benchmark.

## Intervals of one launch

Order statistics, interpolated, corrected for autocorrelation, of a fixed number of samples. These intervals are headlines of
runs with one launch only, and are marked \`this launch only\`. Samples are log-normal AR(1) with outliers: quiet 0.4 %,
correlation 0 · mid 1.5 %, 0.3 · small 5 %, 0.5 · sticky 3 %, 0.8. Alternating: 1 %, every other sample 2 % longer. These samples
have no stalls, and one launch cannot know that: its interval reaches further upwards than they need (see stalled samples).

${coverageTable(truth.within)}

## Intervals of one launch, sampled until precise

The same interval where the rule of \`suites/sampler\` went on until its half width was 1 % or 2 % at two looks (2,000 samples at
most), as it is reported then. Looking repeatedly favours luck; that the two looks must agree, with a quarter more samples
between them, and z = 2.05 in place of 1.96 pay for it. Quiet samples are precise long before the second look: rows above 98 % have half
widths far below the one that was wanted, so that narrower ones would change no decision.

${coverageTable(truth.stop)}

## Intervals between launches, by the launches of one cell

t on log launch medians of 60 samples each (profile mid).

${coverageTable(truth.between)}

## Intervals between launches, with the help of the other sizes

Nine sizes of one series; launches differ by 1 %, half of it common to all sizes, or as the row says. How large that part is follows
from the table of launches and sizes (\`commonShare()\`): the other sizes count for 2(r-1)(1-c) degrees of freedom, where c is the
common share. Two launches hardly show c. Their one rule covers 94 % where 90 % is common and 99 % where nothing is.

The noisiest size is counted alone. Skewed: skewness 1. Two states: a launch is in one of two equally frequent states, ten times as far
apart as launches of one state differ. What no launch has seen no interval can hold: three launches fall into one state in 25 % of
cases, four in 12 %, five in 6 %. Where all sizes share the state, or there is one size, nothing shows the other state then, and the last
column says how often. That is why a run of few sizes starts ${launchesAlone} launches; a machine with two states needs as many.

${coverageTable(truth.launchProfiles)}

## Intervals between launches where the sampler adds launches

Launches differ by so many times the precision that is wanted; up to six are measured. Whether there is another one is for the time
that is left to decide, not for the launches: cells that ended as precise when their launches happened to agree covered the truth in
72 to 94 % of cases.

${coverageTable(truth.addedLaunches)}

## Few and many launches in the same time

A run of 38 s over eight sizes, with 6 launches (the most before launches replaced each other) and with 32. A start takes 0.15 s, which
32 launches pay for 32 times. The speed of the machine stays at one level for a random time, then takes another one: levels differ by
8 %, launches by 2 %, unless the row says otherwise. Successive launches are alike if levels last longer than the second between
launches; the interval allows for that (\`launchInflation()\`). Levels that last much longer than 2 s do not average out within 38 s,
whatever the number of launches. The last rows draw launches from recorded pools, with replacement. \`worst of a run\`: its widest
interval, median over runs.

${wanderTable(truth.wander)}

## Intervals of one launch, on recorded samples

Blocks of ten of what was measured on two and on four H200, drawn again with replacement: how often the interval of what was
drawn holds the median of all. That operations may take turns was seen in the p2p samples, and the constants for it (0.1, 0.5 of
the pairs) were settled with these rows and simulated AR(1) of -0.7 and -0.4 in view: for p2p they are no independent check. No
other constant of the interval was chosen by these samples. Samples lie on the steps of a clock, and intervals hold more where
many are equal: where within its step each of them lay is drawn evenly, so that this is no help.

${coverageTable(truth.recorded)}

## Intervals of stalled samples

The same profiles, and bursts of samples that take 10 to 1,000 times as long, evenly on the logarithm: 1 % in bursts of 5 on
average, 3 % in bursts of 10, 5 % in bursts of 20; in all launches, or in one of three. Launches differ by 1 %. Figures are those
of a run: with the help of eight other sizes, or of one size alone. The oracle knows the profile, its stalls and how launches
differ: its half width is the one constant that covers 95 % around the same figures. The truth of one launch is what it would
show if it went on for ever, stalls included.

One launch of 500 samples meets no burst of 20 in 29 % of cases, and then looks like one without stalls. So the interval of a
single launch allows for what it did not meet, upwards only: stalls of up to 5 % of all samples, those met counted, and no more
than two bursts of 20 beyond those met. Without stalls it is up to 1.45 times as wide as the oracle's, and covers more than it
need. Longer bursts, or more of them, can still be missed: such an interval is marked \`this launch only\`.

Rows above 98 % are single launches, and this allowance is why. 3,000 launches of 500 samples each (quiet, mid, alternating), with
1.96 and the same bursts, cover so much:

| stalled | without the allowance | half of it | as reported |
|---|---|---|---|
| none | 94.9 to 95.3 % | 97.0 to 97.8 % | 97.6 to 98.1 % |
| 1 % | 95.6 to 96.6 % | 97.7 to 98.3 % | 98.3 to 98.8 % |
| 3 % | 94.8 to 96.2 % | 98.2 to 98.9 % | 98.7 to 99.8 % |
| 5 %, bursts of 20 | 86.7 to 93.6 % | 95.1 to 96.9 % | 98.7 to 98.9 % |
| 5 %, bursts of 40 (1,500 launches) | 80.4 to 88.6 % | 91.9 to 94.7 % | 97.9 to 98.3 % |

No allowance serves all rows: a launch that met no burst cannot tell 5 % from none.

Launches of one size alone know nothing of launches but themselves. By t of two degrees of freedom three of them gave intervals
1.6 to 1.9 times as wide as the oracle's: they have none. Four are 1.43 times as wide by theory, and are counted 6,000 times
here, as are single launches of 500 samples. A run in which a size range has fewer than ${minSizesOfRange} sizes starts ${launchesAlone} launches by default.

Where the interval would say no more than the order of magnitude (a factor of ${maxIntervalSpan}), or would reach far beyond all samples,
there is none, and its reason stands instead: \`given in\` is the share of figures that had one, the last column the reason of
the first that had none.

${stallTable(truth.stalls)}
${flagSection(limits)}
## Verdicts: separate runs

Pairs of equal runs of three launches, measured in different nights: 11 sizes, launches differ by 2 %, and whole runs by what the
row says. Each pair has ten earlier runs of its own, or none. A false alarm is a size or a size range that \`collbench compare\` calls
slower or faster; false red, one that the gate against a baseline calls slower, also after its second measurement of the same night.
Found: the second run is 20 % slower, and a size range is called so. Without earlier runs the scatter is assumed by transport (socket 4 %, sisci 1 %), which the
output states. It is a default and no bound: where runs over sisci differ by much more than 1 %, alarms are frequent until three
runs, for the gate of three nights, have shown it.

${separateTable(truth.separateRuns)}

## Verdicts: nights without a change

15 series of 28 sizes: 45 groups and 420 sizes, two equal builds. Launches differ by 2 % (up to 32 KiB), 1.2 %, 0.8 % (from
4 MiB), half of the variance common to the sizes of a series. A group or a size that stands out (\`suspected\`) is measured again
in the same night; \`red\` is what is confirmed.

${gateTable(truth.alarms)}

## Verdicts: nights with a change

The same, and one group of the second build slower.

${gateTable(truth.power)}
${poolsText(truth.pools)}${historySection(history)}`;
}
