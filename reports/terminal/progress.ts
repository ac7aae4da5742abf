import { formatCount, formatDuration } from '../wording.ts';
import { fit } from './columns.ts';

export interface ProgressState {
  /** Number of finished measurements; one measurement is one size in one launch. `total` is the number known so far. */
  done: number;
  total: number;
  elapsedS: number;
  /** Estimated seconds left; `null` until an estimate is possible. */
  leftS: number | null;
  flagged: number;
  /** Share of the time that has passed, 0 to 1. It differs from done/total because configurations finish several at a time. */
  share: number;
  /** Current measurement: "launch 2, 1 MiB". */
  now?: string;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Returns a bar such as `▕██████▌     ▏` with `width` characters, including the frame. */
export function bar(share: number, width: number): string {
  const inner = Math.max(1, width - 2);
  const units = Math.round(Math.min(1, Math.max(0, share)) * inner * 8);
  const text = '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '');
  return `▕${text.padEnd(inner)}▏`;
}

/** Returns one status line without line feed or escape codes, at most `width` characters. */
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
