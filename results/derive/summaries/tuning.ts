// Derives the rules of a tuning table from runs that measured every algorithm.
import type { CellRecord, MeasuredFigure, RunPlan, TuningRule } from '../../schema/index.ts';
import { fixedText, measuredOf, parseSeriesName } from '../../schema/index.ts';

/** Measured time by which algorithms are compared: that of operations back to back, as in training. */
const tunedFigure = 'pipelined';

export interface TuningRun {
  plan: Pick<RunPlan, 'ranks'>;
  cells: readonly CellRecord[];
}

/**
 * Times of one message size over one transport: with the algorithm that the engine chose itself (`own`; null if not measured), and
 * with each requested algorithm (`asked`). `algorithm` is the one used, "direct/ll"; if the engine did not report it, null for
 * `own` and the requested one for `asked`.
 */
interface TuningPoint {
  bytes: number;
  own: { algorithm: string | null; figure: MeasuredFigure } | null;
  asked: { algorithm: string; figure: MeasuredFigure }[];
}

/**
 * Returns, by "transport/collective", the times of all algorithms at each message size, ascending by size. Cells that have no
 * pipelined time, or another `status` than `ok`, are left out.
 */
function pointsOf(cells: readonly CellRecord[]): Map<string, TuningPoint[]> {
  const found = new Map<string, TuningPoint[]>();
  for (const cell of cells) {
    const figure = measuredOf(cell, tunedFigure);
    if (figure === null || cell.status !== 'ok') continue;
    const name = parseSeriesName(cell.transport);
    const { transport } = name;
    const asked = fixedText(name);
    // The algorithm that was used, with its protocol if the engine has several: "direct/ll".
    const took = [cell.choice.algorithm, cell.choice.protocol ?? ''].filter((word) => word !== '').join('/');
    const key = `${transport}/${cell.axes.collective}`;
    const points = found.get(key) ?? [];
    found.set(key, points);
    const bytes = Number(cell.axes.bytes);
    let point = points.find((one) => one.bytes === bytes);
    if (point === undefined) {
      point = { bytes, own: null, asked: [] };
      points.push(point);
    }
    if (asked === '') point.own = { algorithm: took === '' ? null : took, figure };
    else point.asked.push({ algorithm: took === '' ? asked : took, figure });
  }
  for (const points of found.values()) points.sort((a, b) => a.bytes - b.bytes);
  return found;
}

/**
 * Returns the fastest requested algorithm if it differs from the engine's own choice and its 95 % interval lies wholly below that
 * of the engine's choice; otherwise null. `gain` is the time with the engine's choice over the time with the fastest algorithm.
 */
function winnerAt({
  own,
  asked,
}: TuningPoint): { algorithm: string; instead: string | null; gain: number } | null {
  const [best] = asked.toSorted((a, b) => a.figure.value - b.figure.value);
  if (own === null || best === undefined || best.algorithm === own.algorithm) return null;
  const [high, low] = [best.figure.interval?.high, own.figure.interval?.low];
  if (high === undefined || low === undefined || high >= low) return null;
  return {
    algorithm: best.algorithm,
    instead: own.algorithm,
    gain: own.figure.value / best.figure.value,
  };
}

/**
 * Joins neighbouring sizes with the same fastest algorithm and the same choice of the engine (`instead`) to one rule. `bytes` is
 * its first and last size, `gain` its lowest and highest gain. Sizes at which no requested algorithm is certainly faster get no
 * rule: there the engine's own choice remains.
 */
function rulesAmong(
  points: readonly TuningPoint[],
): Omit<TuningRule, 'transport' | 'collective' | 'ranks'>[] {
  const rules: Omit<TuningRule, 'transport' | 'collective' | 'ranks'>[] = [];
  let isNext = false;
  for (const point of points) {
    const winner = winnerAt(point);
    const last = rules.at(-1);
    if (winner === null) {
      isNext = false;
      continue;
    }
    const { algorithm, instead, gain } = winner;
    if (isNext && last?.algorithm === algorithm && last.instead === instead) {
      last.bytes = [last.bytes[0], point.bytes];
      last.gain = [Math.min(last.gain[0], gain), Math.max(last.gain[1], gain)];
    } else {
      rules.push({ bytes: [point.bytes, point.bytes], algorithm, instead, gain: [gain, gain] });
    }
    isNext = true;
  }
  return rules;
}

/**
 * Returns the tuning rules from all runs. A rule applies from the number of ranks measured up to the next higher number measured,
 * which is excluded. A rule for the highest number applies to that number only. `ranks` and `bytes` of a rule are its lowest and
 * highest value, both included.
 * @param runs one for each collective and number of ranks
 */
export function tuningRules(runs: readonly TuningRun[]): TuningRule[] {
  const counts = [...new Set(runs.map(({ plan }) => plan.ranks))].sort((a, b) => a - b);
  return runs.flatMap(({ plan: { ranks }, cells }) => {
    const next = counts.find((count) => count > ranks);
    return [...pointsOf(cells)].flatMap(([key, points]) => {
      const [transport = '', collective = ''] = key.split('/');
      return rulesAmong(points).map(
        (rule): TuningRule => ({
          transport,
          collective,
          ranks: [ranks, next === undefined ? ranks : next - 1],
          ...rule,
        }),
      );
    });
  });
}

/**
 * Returns the number of message sizes, over all runs, collectives and transports, at which a time has no 95 % interval, so that not
 * all algorithms can be compared.
 */
export const withoutInterval = (runs: readonly TuningRun[]): number =>
  runs
    .flatMap(({ cells }) => [...pointsOf(cells).values()].flat())
    .filter(({ own, asked }) => [own, ...asked].some((one) => one !== null && one.figure.interval === null))
    .length;
