import type { Coverage } from './coverage.ts';
import type { Outcome } from './gate.ts';
import type { Share } from './random.ts';

export interface GateRow {
  what: string;
  outcome: Outcome;
}

export interface Truth {
  command: string;
  node: string;
  within: Coverage[];
  between: Coverage[];
  siblings: Coverage[];
  recorded: Coverage[];
  alarms: GateRow[];
  power: GateRow[];
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const shareText = ({ share, low, high }: Share): string =>
  `${percent(share)} (${percent(low)} to ${percent(high)})`;
const table = (head: string[], rows: string[][]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

/** What 95 % intervals promise, give or take what is called all right. */
const wanted = { low: 0.93, high: 0.97 };

/** Whole words where a coverage, with its own uncertainty, lies outside. */
function judgement({ covered }: Coverage): string {
  if (covered.low > wanted.high) return 'wider than it need be';
  if (covered.high < wanted.low) return '**too narrow**';
  return '';
}

function coverageTable(rows: readonly Coverage[]): string {
  return table(
    ['of what', 'covers the truth', 'half width', ''],
    rows.map((row) => [row.what, shareText(row.covered), percent(row.halfWidth), judgement(row)]),
  );
}

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

/** docs/truth.md. */
export function truthDocument(truth: Truth): string {
  return `# How far figures and verdicts can be trusted

Made by \`npm run bench:truth\`; the numbers are in \`results/reference/truth.json\`. Everything is seeded: a second start gives
the same. In brackets the 95 % interval of each share (Wilson). Simulations rest on assumed noise, that of \`tests/bench/truth\`;
\`collbench aa\` measures the noise of a machine and what the same rules do there. The rates of \`collbench history\` come from
\`npm run bench:truth-history\`.

A 95 % interval should cover the truth in ${percent(wanted.low)} to ${percent(wanted.high)} of cases. Where it does not for certain, the last column says so.

## Intervals of one launch

Order statistics, corrected for autocorrelation, z = 2.24 in place of 1.96: wider by design, because sampling that goes on until
an interval is narrow enough looks at it repeatedly; here it is looked at once, so that steady noise is covered more often than
promised. What stays alike for longer than a few dozen samples (sticky) is not seen in 50 of them: there the interval is too
narrow. These intervals are headlines of runs with one launch only, and are marked \`this launch only\`. Samples are log-normal AR(1) with outliers: quiet 0.4 %, correlation 0 ·
mid 1.5 %, 0.3 · small 5 %, 0.5 · sticky 3 %, 0.8.

${coverageTable(truth.within)}

## Intervals between launches, by the launches of one cell

t on log launch medians of 60 samples each (profile mid).

${coverageTable(truth.between)}

## Intervals between launches, with the help of the other sizes

Nine sizes of one series; launches differ by 1 %, part of it common to all sizes.

${coverageTable(truth.siblings)}

## Intervals of one launch, on recorded samples

Blocks of ten of what was measured on two H200, drawn again with replacement: how often the interval of what was drawn holds the
median of all. Samples of the same step of the clock make the interval hold more.

${coverageTable(truth.recorded)}

## Verdicts: nights without a change

15 series of 28 sizes: 45 groups and 420 sizes, two equal builds. Launches differ by 2 % (up to 32 KiB), 1.2 %, 0.8 % (from
4 MiB), half of the variance common to the sizes of a series. A group or a size that stands out (\`suspected\`) is measured again
in the same night; \`red\` is what is confirmed.

${gateTable(truth.alarms)}

## Verdicts: nights with a change

The same, and one group of the second build slower.

${gateTable(truth.power)}
`;
}
