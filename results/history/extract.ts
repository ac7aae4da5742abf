// Reads parts of a line of the index. Of 10,000 runs with 45 groups each a question is about three groups: to parse whole
// lines would take five times as long as the rest of the answer.
import { type HistoryFigure, type HistoryLine, historyLine } from '../schema/index.ts';

const beforeFigures = ',"figures":[';
const head = historyLine.omit({ figures: true });

/** Of a line all but its figures; null where it is torn, of another version, or no line of an index. */
export function headOf(text: string): Omit<HistoryLine, 'figures'> | null {
  const end = text.indexOf(beforeFigures);
  if (end < 0 || !text.endsWith(']}')) return null;
  try {
    const raw = JSON.parse(`${text.slice(0, end)}}`) as Omit<HistoryLine, 'figures'>;
    // The full check takes 20 us; lines of our own hand have their version first.
    if (
      text.startsWith('{"schemaVersion":1,"folder":"') &&
      typeof raw.at === 'string' &&
      Array.isArray(raw.hosts)
    )
      return raw;
    return head.parse(raw);
  } catch {
    return null;
  }
}

/** The figures of one group, of both kinds of trial. */
export function figuresIn(text: string, group: string): HistoryFigure[] {
  const start = `{"group":${JSON.stringify(group)},`;
  const found: HistoryFigure[] = [];
  for (let from = text.indexOf(start); from >= 0; from = text.indexOf(start, from + 1)) {
    const figure = JSON.parse(text.slice(from, text.indexOf('}', from + start.length) + 1)) as HistoryFigure;
    found.push(figure);
  }
  return found;
}

/** Names of all groups of a line. */
export function groupsIn(text: string): string[] {
  const start = '{"group":"';
  const found: string[] = [];
  for (let from = text.indexOf(start); from >= 0; from = text.indexOf(start, from + 1)) {
    const end = text.indexOf('","trial":', from);
    found.push(text.slice(from + start.length, end));
  }
  return found.some((name) => name.includes('\\'))
    ? found.map((name) => JSON.parse(`"${name}"`) as string)
    : found;
}
