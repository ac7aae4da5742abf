import type { ReadRun } from '../compare/compare-runs.ts';
import type { CellRecord, OkCell, TrialFigures } from '../schema/index.ts';

/**
 * Several runs of one plan as one: a cell has the launches of all of them. Medians are combined as launches are: the
 * geometric mean of their medians. What is wrong or flagged in one is so in the whole.
 * @param runs in the order of measuring, one at least; the record is that of the first
 * @throws {RangeError} none
 */
export function poolRuns(runs: readonly ReadRun[]): ReadRun {
  const [first, ...rest] = runs;
  if (first === undefined) throw new RangeError('nothing to pool');
  if (rest.length === 0) return first;
  const byId = new Map<string, CellRecord[]>();
  for (const cell of runs.flatMap(({ cells }) => cells)) {
    byId.set(cell.id, [...(byId.get(cell.id) ?? []), cell]);
  }
  return { record: first.record, cells: [...byId.values()].map((cells) => poolCells(cells, runs.length)) };
}

const isOk = (cell: CellRecord): cell is OkCell => cell.status === 'ok';

/** A cell that failed in one of the runs has failed: fewer launches would hide it. */
function poolCells(cells: readonly CellRecord[], expected: number): CellRecord {
  const bad = cells.find((cell) => !isOk(cell));
  if (bad !== undefined) return bad;
  const ok = cells.filter(isOk);
  const [first] = ok as [OkCell, ...OkCell[]];
  const worst =
    ok.find(({ evidence }) => evidence.verdict === 'contradicted') ??
    ok.find(({ evidence }) => evidence.verdict === 'unproven') ??
    first;
  const wrong = ok.find(({ verification }) => verification.wrongElements > 0) ?? first;
  const sum = (of: (cell: OkCell) => number): number => ok.reduce((total, cell) => total + of(cell), 0);
  return {
    ...first,
    evidence: worst.evidence,
    verification: {
      enabled: ok.every(({ verification }) => verification.enabled),
      checks: sum(({ verification }) => verification.checks),
      wrongElements: sum(({ verification }) => verification.wrongElements),
      comparedElements: sum(({ verification }) => verification.comparedElements),
      first: wrong.verification.first,
    },
    flags: [
      ...new Set([...ok.flatMap(({ flags }) => flags), ...(ok.length < expected ? ['few-launches'] : [])]),
    ],
    isolated: poolFigures(ok.map(({ isolated }) => isolated)),
    pipelined: poolFigures(ok.map(({ pipelined }) => pipelined)),
  };
}

function poolFigures(all: readonly (TrialFigures | null)[]): TrialFigures | null {
  const known = all.filter((one): one is TrialFigures => one !== null);
  const [first] = known;
  if (first === undefined || known.length < all.length) return null;
  const medians = known.flatMap(({ launchMediansNs }) => launchMediansNs);
  const medianNs = Math.exp(medians.reduce((sum, ns) => sum + Math.log(ns), 0) / medians.length);
  const sum = (of: (one: TrialFigures) => number): number => known.reduce((total, one) => total + of(one), 0);
  const scale = first.medianNs / medianNs;
  return {
    ...first,
    samples: sum(({ samples }) => samples),
    effectiveSamples: sum(({ effectiveSamples }) => effectiveSamples),
    launches: sum(({ launches }) => launches),
    medianNs,
    interval: null,
    intervalReason: 'several runs as one: the gate works with their launches',
    launchMediansNs: medians,
    algGBps: first.algGBps * scale,
    busGBps: first.busGBps * scale,
  };
}
