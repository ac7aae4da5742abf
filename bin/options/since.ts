import { ValueError } from './index.ts';

export const sinceHelp = 'a number of days, weeks or months (30d, 12w, 6m), or a date (2026-11-01)';

const days: Record<string, number> = { d: 1, w: 7, m: 30 };

/**
 * The first day of a period, as UTC date "YYYY-MM-DD". The text is a span such as "30d", or a date.
 * @param now current time, ms since 1970
 * @throws {ValueError} if the text is neither
 */
export function parseSince(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,5})([dwm])$/.exec(text) ?? [];
  if (count !== undefined) {
    const date = new Date(now - Number(count) * (days[unit] as number) * 86_400_000);
    return date.toISOString().slice(0, 10);
  }
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  // The comparison rejects days that do not exist: "2026-02-30" would become the 2nd of March.
  if (date === null || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text))
    throw new ValueError('is neither a span of time nor a date');
  return text;
}
