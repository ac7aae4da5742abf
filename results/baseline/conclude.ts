import { usualOptions } from '../compare/options.ts';
import { flagMeanings } from '../derive/flag-meanings.ts';
import { minimumDetectableEffect } from '../judge/detectable.ts';
import type { CellRecord, GateFailure, GateResult } from '../schema/index.ts';
import { formatPercent, plural } from '../units.ts';
import type { Decision } from './decide.ts';

/** All that the gate's verdict follows from. */
export interface Findings {
  suite: GateResult['suite'];
  reference: GateResult['reference'];
  mustDetect: number;
  decision: Decision;
  failures: GateFailure[];
  changed: NonNullable<GateResult['changed']>;
  /** Of tonight. */
  cells: readonly CellRecord[];
  /** Cells of tonight that the reference does not have. */
  unknownCells: number;
  /** Entries that the reference has and the suite does not. */
  goneEntries: readonly string[];
}

const codes = { pass: 0, failed: 2, wrongData: 3, regression: 4, noVerdict: 5, interrupted: 130 };
const mostLaunches = 100;
const mostNames = 5;

/** The verdict: what is wrong goes before what is slow, what is slow before what cannot be told. */
export function conclude(findings: Findings): GateResult {
  const { suite, reference, mustDetect, decision, failures, changed, cells } = findings;
  const flags = flagsOf(cells);
  const [verdict, exitCode] = verdictOf(findings);
  return {
    schemaVersion: 2,
    suite,
    verdict,
    exitCode,
    sentence: sentenceOf(verdict, findings),
    advice: adviceOf(verdict, findings, flags),
    reference,
    mustDetect,
    groups: decision.groups,
    cells: decision.cells,
    failures,
    changed,
    flags,
  };
}

function verdictOf({ reference, decision, failures }: Findings): [GateResult['verdict'], number] {
  const has = (kind: GateFailure['kind']): boolean => failures.some((failure) => failure.kind === kind);
  if (has('interrupted')) return ['failed', codes.interrupted];
  if (has('wrong-data')) return ['failed', codes.wrongData];
  if (failures.length > 0) return ['failed', codes.failed];
  const all = [...decision.groups, ...decision.cells];
  if (all.some(({ verdict }) => verdict === 'slower')) return ['regression', codes.regression];
  if (all.some(({ verdict }) => verdict === 'suspected')) return ['failed', codes.failed];
  const isOpen = decision.groups.some(({ verdict }) => verdict === 'unclear');
  if (reference === null || decision.groups.length === 0 || isOpen) return ['no-verdict', codes.noVerdict];
  return ['pass', codes.pass];
}

/** Largest of the smallest visible changes; null where one cannot be told. */
function worstDetectable({ groups }: Decision): number | null {
  const all = groups.map(({ change }) => change.detectable);
  return all.includes(null) || all.length === 0 ? null : Math.max(...(all as number[]));
}

function sentenceOf(verdict: GateResult['verdict'], findings: Findings): string {
  const { decision, failures, reference } = findings;
  const { groups } = decision;
  if (verdict === 'failed') {
    const [first] = failures;
    if (first === undefined) return 'FAILED: slower results could not be measured again.';
    const more = failures.length > 1 ? `; and ${failures.length - 1} more` : '';
    return `FAILED: ${first.sentence}${more}.`;
  }
  if (verdict === 'regression') {
    const slow = groups.filter((group) => group.verdict === 'slower');
    if (slow.length > 0)
      return `REGRESSION: ${slow.length} of ${plural(groups.length, 'size range')} slower.`;
    const sizes = decision.cells.filter((cell) => cell.verdict === 'slower').length;
    return `REGRESSION: ${plural(sizes, 'single size')} slower.`;
  }
  const worst = worstDetectable(decision);
  if (verdict === 'pass') {
    const seen = worst === null ? '' : ` (smallest detectable change ${formatPercent(worst)})`;
    return `PASS: none of ${plural(groups.length, 'size range')} is slower${seen}.`;
  }
  if (reference === null) return 'NO VERDICT: there is no reference build and no baseline.';
  if (groups.length === 0) return 'NO VERDICT: the reference has none of these configurations.';
  if (decision.disturbed !== null) return `NO VERDICT: ${decision.disturbed}.`;
  // Without a change that would be seen the reason is the group's own: launches that differ too much, or too few of them.
  const open = groups.find((group) => group.verdict === 'unclear');
  const why = open?.reason ?? 'too few launches';
  if (worst === null) return `NO VERDICT: ${why}.`;
  return `NO VERDICT (machine too noisy: smallest visible change ${formatPercent(worst)}).`;
}

/** What can be done, most useful first. */
function adviceOf(
  verdict: GateResult['verdict'],
  findings: Findings,
  flags: Record<string, number>,
): string[] {
  const { reference, decision, suite, unknownCells, goneEntries, mustDetect } = findings;
  const advice: string[] = [];
  const flagged = (): string[] =>
    Object.entries(flags)
      .sort((a, b) => b[1] - a[1])
      .map(([flag, count]) => {
        const meaning = flagMeanings[flag];
        return `${plural(count, 'configuration')} flagged ${flag}${meaning === undefined ? '' : `: ${meaning}`}`;
      });
  if (reference === null) {
    advice.push(
      `set it as the baseline: collbench baseline set ${suite.id}, or give the suite a reference build (--anchor nccl=PATH)`,
    );
  } else if (verdict === 'no-verdict') {
    const wanted = launchesWanted(decision, mustDetect);
    advice.push(
      wanted === null
        ? `use a quieter machine: no number of launches up to ${mostLaunches} would detect a change of ${formatPercent(mustDetect)}`
        : `try --launches ${wanted}, or use a quieter machine`,
    );
    if (reference.kind === 'baseline') {
      advice.push(
        'nights differ with any number of launches: a reference build, interleaved in the same night, detects smaller changes (--anchor)',
      );
    }
    advice.push(...flagged());
  } else if (verdict === 'regression' && reference.kind === 'baseline') {
    // Another night's figures know nothing of what else this machine did tonight.
    advice.push(...flagged());
  }
  if (reference !== null && unknownCells > 0) {
    advice.push(
      `${plural(unknownCells, 'configuration')} of the candidate are not in the reference: not judged`,
    );
  }
  if (goneEntries.length > 0) {
    const names =
      goneEntries.slice(0, mostNames).join(', ') + (goneEntries.length > mostNames ? ', ...' : '');
    advice.push(
      `in the baseline but not in the suite: ${names}; set it again if that is intended (collbench baseline set ${suite.id})`,
    );
  }
  return advice;
}

/** Launches of each side that would let the worst group see what must be seen; the scatter as it is. */
function launchesWanted({ groups }: Decision, mustDetect: number): number | null {
  const open = groups.filter(({ verdict }) => verdict === 'unclear');
  if (open.some(({ change }) => change.lowRatio === null)) return 5;
  const alpha = usualOptions.falseDiscovery / Math.max(1, groups.length);
  const scatters = open.map(({ change }) => {
    const { lowRatio, highRatio, launches, betweenNights } = change;
    const half = Math.log((highRatio as number) / (lowRatio as number)) / 2;
    const { reference, tonight } = launches;
    const nights = 2 * (betweenNights ?? 0) ** 2;
    // Near enough for advice: two standard errors make half an interval. Nights differ however many launches they have.
    return {
      nights,
      variance: Math.max(0, (half / 2) ** 2 - nights) / (1 / reference + 1 / tonight),
      launches: Math.max(reference, tonight),
    };
  });
  const least = Math.max(...scatters.map(({ launches }) => launches)) + 1;
  for (let r = least; r <= mostLaunches; r += 1) {
    const sees = ({ variance, nights }: { variance: number; nights: number }): boolean =>
      minimumDetectableEffect({
        ...{ degrees: 2 * r - 2, launches: [r, r], alpha },
        variance: variance + (nights * r) / 2,
      }) <= mustDetect;
    if (scatters.every(sees)) return r;
  }
  return null;
}

function flagsOf(cells: readonly CellRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const cell of cells) {
    for (const { name } of cell.status === 'ok' ? cell.flags : []) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
