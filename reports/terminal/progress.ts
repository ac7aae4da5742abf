import { formatCount, formatDuration } from '../wording.ts';
import { fit } from './columns.ts';

export interface ProgressState {
  /** Measurements of a size in a launch, and how many there are as far as is known. */
  done: number;
  total: number;
  elapsedS: number;
  /** `null` while nothing can be said yet. */
  leftS: number | null;
  flagged: number;
  /** Of the time that is over, 0 to 1: configurations are finished together, some of them at a time. */
  share: number;
  /** What is being measured: "launch 2, 1 MiB". */
  now?: string;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** `▕██████▌     ▏` over `width` characters including the frame. */
export function bar(share: number, width: number): string {
  const inner = Math.max(1, width - 2);
  const units = Math.round(Math.min(1, Math.max(0, share)) * inner * 8);
  const text = '█'.repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? '');
  return `▕${text.padEnd(inner)}▏`;
}

/** One status line without line feed or escape codes, at most `width` characters. */
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
