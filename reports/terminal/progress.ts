import { type CellRecord, headlineOf, type OkCell, type RunPlan } from '../../results/schema/index.ts';
import { workloadRowOf } from '../rows.ts';
import { isOk, namedXOfPoint, titleOfPoint } from '../series.ts';
import { formatCount, formatDuration, formatTimeRange, splitTitles } from '../wording.ts';
import { columnName, columnNames } from './column-names.ts';
import { fit } from './columns.ts';

export interface ProgressState {
  /**
   * Number of finished measurements; one measurement is one size in one launch. `total` is the planned number of measurements; 0 =
   * they are not counted.
   */
  done: number;
  total: number;
  elapsedS: number;
  /** Estimated remaining seconds; `null` until an estimate is possible. */
  leftS: number | null;
  flagged: number;
  /**
   * Elapsed time as a share (0 to 1) of the run's expected time, for the length of the bar. It is not done/total, because several
   * measurements end at about the same time.
   */
  share: number;
  /** Text about the current or the last measurement ("launch 2, 1 MiB"), or about the newest result; absent or '' = none. */
  now?: string;
  /** True if preliminary rows have been printed above the line; the final table replaces them. */
  isProvisional?: boolean;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Returns a progress bar such as `▕██████▌   ▏`. @param share 0 to 1 @param width number of characters, including the frame */
export function bar(share: number, width: number): string {
  const inner = Math.max(1, width - 2);
  const units = Math.round(Math.min(1, Math.max(0, share)) * inner * 8);
  const text = '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '');
  return `▕${text.padEnd(inner)}▏`;
}

/**
 * Returns the main times measured so far at one point of a plan: "1 MiB so far: socket 281 µs, sisci 148 µs". "WRONG DATA" replaces
 * a time with wrong data. A transport without a result is left out; '' if none has one.
 * @param cells results at the point
 */
export function newestResult(plan: RunPlan, cells: readonly CellRecord[]): string {
  const [first] = cells;
  const point = first === undefined ? undefined : plan.points[first.point];
  if (point === undefined) return '';
  const titles = [...new Set(plan.points.map((one) => titleOfPoint(plan, one)))];
  // Titles may be long; the words that all have in common are left out.
  const title =
    titles.length === 1 ? '' : splitTitles(titles).rest[titles.indexOf(titleOfPoint(plan, point))];
  const { names } = columnNames(plan);
  const times = plan.transports.flatMap(({ name }, i) => {
    const text = timesText(
      plan,
      cells.filter((cell): cell is OkCell => cell.transport === name && isOk(cell)),
    );
    if (text === '') return [];
    return [plan.transports.length === 1 ? text : `${columnName(names[i] ?? '')} ${text}`];
  });
  const what = `${title ?? ''} ${namedXOfPoint(plan, point)}`.trim();
  return times.length === 0 ? '' : `${what} so far: ${times.join(', ')}`;
}

/**
 * Returns the main time of a configuration. For several groups of ranks it returns the lowest and the highest time; '' without a
 * time, "WRONG DATA" if any data are wrong.
 */
function timesText(plan: RunPlan, cells: readonly OkCell[]): string {
  if (cells.some(({ verification }) => verification.wrongElements > 0)) return 'WRONG DATA';
  const times = cells.flatMap((cell) => headlineOf(workloadRowOf(plan, cell), cell)?.value ?? []);
  return times.length === 0 ? '' : formatTimeRange(times);
}

/**
 * Returns one line about the progress of a run, without line feed or escape codes. The bar is left out if fewer than eight
 * characters are free for it.
 * @param width maximum number of characters
 */
export function progressLine(state: ProgressState, width: number): string {
  // A measurement of pairs of ranks has no total, so its measurements are not counted.
  const isCounted = state.total > 0;
  const parts = isCounted ? [`${formatCount(state.done)}/${formatCount(state.total)} measurements`] : [];
  if (state.done < state.total || !isCounted) {
    parts.push(
      state.leftS === null
        ? `${formatDuration(state.elapsedS)} so far`
        : `${formatDuration(state.leftS)} left`,
    );
  } else {
    parts.push(formatDuration(state.elapsedS));
  }
  if (state.flagged > 0) parts.push(`${formatCount(state.flagged)} flagged`);
  if (state.now !== undefined && state.now !== '') parts.push(state.now);
  if (state.isProvisional === true) parts.push('rows not final');
  const words = parts.join(' · ');
  const room = Math.min(26, width - words.length - 1);
  return fit(room >= 8 ? `${bar(state.share, room)} ${words}` : words, width);
}
