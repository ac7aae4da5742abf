import { addTo } from '../collections.ts';
import { type CellGroup, groupOf, xValueOf } from '../derive/cells/cell-group.ts';
import {
  type ComparisonRefusal,
  dataOf,
  headlineNames,
  measuredOf,
  type OkCell,
  type RunPlan,
  type RunRecord,
  trialOf,
} from '../schema/index.ts';
import type { OkPair } from './load.ts';
import type { CompareOptions } from './options.ts';

/** Measurements of one series in one range of message sizes, from both runs. They are judged together, by one figure. */
export interface ComparisonFamily {
  group: CellGroup;
  /** Name of the judged time, "latency" or "pipelined"; all of `pairs` have it in both runs. */
  figure: string;
  /**
   * Name of the main time that is only shown, not judged (pipelined time if latency is judged, else latency), with the measurements
   * (`pairs`) that have it in both runs; null if there are none.
   */
  beside: { figure: string; pairs: OkPair[] } | null;
  pairs: OkPair[];
}

/**
 * Returns the names of the main times of a size range; the first one is judged. For large sizes the pipelined time comes first,
 * because programs stream them. For all others latency does, because programs wait for each message.
 * @param workload name of the workload
 */
export function headlinesOf(workload: string, { regime }: Pick<CellGroup, 'regime'>): string[] {
  const names = headlineNames(dataOf(workload));
  return regime === 'large' ? names.reverse() : names;
}

const has = (figure: string) => (pair: OkPair) =>
  measuredOf(pair.base, figure) !== null && measuredOf(pair.other, figure) !== null;

/**
 * Sorts the pairs of measurements of two runs by series and size range. The judged time is the first main time that some pair has
 * in both runs. `refused` lists the pairs that cannot be compared, each with the reason; a range of which all pairs are refused is
 * left out.
 */
export function familiesOf(
  both: readonly OkPair[],
  base: RunRecord,
  other: RunRecord,
  rules: CompareOptions,
) {
  const byGroup = new Map<string, OkPair[]>();
  for (const pair of both) {
    const { key } = groupOf(pair.base);
    addTo(byGroup, key, pair);
  }
  const families: ComparisonFamily[] = [];
  const refused: ComparisonRefusal[] = [];
  for (const pairs of byGroup.values()) {
    const [{ base: first }] = pairs as [OkPair, ...OkPair[]];
    const group = groupOf(first);
    const names = headlinesOf(first.workload, group);
    // One time is used for all cells of a size range, so that latency and pipelined time are never mixed.
    const figure = names.find((name) => pairs.some(has(name))) ?? names.at(-1) ?? '';
    const kept = pairs.filter((pair) => {
      const reason = has(figure)(pair)
        ? refusalOf(
            { plan: base.plan, cell: pair.base },
            { plan: other.plan, cell: pair.other },
            figure,
            rules,
          )
        : {
            kind: 'method' as const,
            reason: `one of the runs has no ${trialOf(dataOf(first.workload), figure)} figure`,
          };
      if (reason !== null) refused.push({ id: pair.base.id, x: xValueOf(pair.base), ...reason });
      return reason === null;
    });
    if (kept.length === 0) continue;
    const next = names.find((name) => name !== figure && kept.some(has(name)));
    const beside = next === undefined ? null : { figure: next, pairs: kept.filter(has(next)) };
    families.push({ group, figure, beside, pairs: kept });
  }
  return { families, refused };
}

interface RefusalSide {
  plan: RunPlan;
  cell: OkCell;
}

type RefusalReason = Omit<ComparisonRefusal, 'id' | 'x'>;

/**
 * Returns the first reason why results of the same configuration in two runs must not be compared, in this order: wrong data,
 * another medium, ranks, nodes or method, no verification, contradicted evidence, flags if these are excluded. Null if there is no
 * reason, or only reasons that the user allows.
 * @param figure name of the measured time
 */
function refusalOf(
  base: RefusalSide,
  other: RefusalSide,
  figure: string,
  { allow, excludeFlagged }: Pick<CompareOptions, 'allow' | 'excludeFlagged'>,
): RefusalReason | null {
  const reasons = [
    wrongData(base, other),
    unlikeMedium(base, other),
    unlike('ranks', `${base.cell.ranks} ranks`, `${other.cell.ranks} ranks`),
    unlike('nodes', `${base.cell.nodes} nodes`, `${other.cell.nodes} nodes`),
    unlike('method', methodText(base, figure), methodText(other, figure)),
    unverified(base, other),
    contradicted(base, other),
    excludeFlagged ? flagged(base, other) : null,
  ];
  const isAllowed = ({ kind }: RefusalReason) => (allow as readonly string[]).includes(kind);
  return reasons.find((reason) => reason !== null && !isAllowed(reason)) ?? null;
}

function unlike(kind: RefusalReason['kind'], base: string, other: string): RefusalReason | null {
  return base === other ? null : { kind, reason: `${base} against ${other}` };
}

/**
 * Returns a reason if one result is of software devices and the other is not; null otherwise. An unknown medium counts as hardware,
 * because the output of other programs does not record it.
 */
function unlikeMedium(base: RefusalSide, other: RefusalSide): RefusalReason | null {
  const isEmulated = ({ cell }: RefusalSide) => cell.medium === 'emulated';
  if (isEmulated(base) === isEmulated(other)) return null;
  return unlike('medium', base.cell.medium, other.cell.medium);
}

/**
 * Returns as text how a time was taken: trial, clock, synchronisation, combination over ranks, warm-up and batch. A batch that the
 * ranks chose may differ between runs, so the text has "chosen" in its place.
 * @param figure name of the measured time
 */
function methodText({ plan, cell }: RefusalSide, figure: string): string {
  const trial = trialOf(dataOf(cell.workload, plan.workloads), figure);
  const method = measuredOf(cell, figure)?.method;
  if (method === undefined) return `no ${trial} figure`;
  const { clock, sync, summary, warmup } = method;
  const batch = plan.imported === undefined && plan.sampling.batch === 0 ? 'chosen' : method.batch;
  return `${trial}: ${clock}, sync ${sync}, ${summary}, warm-up ${warmup}, batch ${batch}`;
}

function wrongData(base: RefusalSide, other: RefusalSide): RefusalReason | null {
  const wrong = [base, other].flatMap(({ cell }, i) =>
    cell.verification.wrongElements > 0 ? [i === 0 ? 'the base' : 'the other run'] : [],
  );
  if (wrong.length === 0) return null;
  return {
    kind: 'wrong-data',
    reason: `wrong data in ${wrong.join(' and ')}: its time is invalid`,
  };
}

/**
 * Returns a reason if verification was switched off in one of the runs; null otherwise. Imported runs do not record whether they
 * verified, and get no verdict anyway.
 */
function unverified(base: RefusalSide, other: RefusalSide): RefusalReason | null {
  const off = [base, other].filter(
    ({ plan, cell }) => plan.imported === undefined && !cell.verification.enabled,
  );
  if (off.length === 0) return null;
  const whose = off.length === 2 ? 'both runs' : off[0] === base ? 'the base' : 'the other run';
  return { kind: 'unverified', reason: `the data of ${whose} were not verified` };
}

function contradicted(base: RefusalSide, other: RefusalSide): RefusalReason | null {
  const bad = [base, other].find(({ cell }) => cell.evidence.verdict === 'contradicted');
  if (bad === undefined) return null;
  const whose = bad === base ? 'the base' : 'the other run';
  return {
    kind: 'contradicted',
    reason: `the evidence of ${whose} contradicts its transport: ${bad.cell.evidence.reason}`,
  };
}

function flagged(base: RefusalSide, other: RefusalSide): RefusalReason | null {
  const words = [...new Set([...base.cell.flags, ...other.cell.flags].map(({ name }) => name))];
  return words.length === 0 ? null : { kind: 'flagged', reason: `flagged: ${words.join(', ')}` };
}
