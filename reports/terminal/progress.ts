import { formatCount, formatDuration } from '../wording.ts';
import { fit } from './columns.ts';

export interface ProgressState {
  /**
   * Number of finished measurements; one measurement is one size in one launch. `total` is the number of all measurements as
   * far as planned.
   */
  done: number;
  total: number;
  elapsedS: number;
  /** Estimated remaining seconds; `null` until an estimate is possible. */
  leftS: number | null;
  flagged: number;
  /**
   * Elapsed share of the run's time, 0 to 1. It differs from done/total because several measurements end at about the same
   * time.
   */
  share: number;
  /** Text about the current measurement: "launch 2, 1 MiB". */
  now?: string;
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
 * Returns one line about the progress of a run, without line feed or escape codes. The bar is left out if fewer than eight
 * characters are free for it.
 * @param width maximum number of characters
 */
export function progressLine(state: ProgressState, width: number): string {
  const parts = [`${formatCount(state.done)}/${formatCount(state.total)} measurements`];
  if (state.done < state.total) {
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
  const words = parts.join(' · ');
  const room = Math.min(26, width - words.length - 1);
  return fit(room >= 8 ? `${bar(state.share, room)} ${words}` : words, width);
}
