// Texts about whether a suite works on this machine, shared by terminal and page.
import type { SuiteFinding, SuiteFindingFigure } from '../results/schema/index.ts';
import { flagSummary } from './cell-flags.ts';
import { figureText as valueText } from './rows.ts';
import { formatCount, plusMinusHalf, shortTransport } from './wording.ts';

const words: Record<SuiteFinding['verdict'], string> = {
  works: 'WORKS',
  partly: 'WORKS IN PART',
  fails: 'DOES NOT WORK',
  interrupted: 'INTERRUPTED',
};

/**
 * Returns whether a suite works on this machine, with counts: "WORKS: 30 of 30 configurations measured; 1,234 checks, 0 wrong;
 * socket confirmed, sisci (emulated) confirmed."
 */
export function suiteFindingSentence(found: SuiteFinding): string {
  const { verdict, cells, checks, wrongElements, transports, flagged = 0, flags = {} } = found;
  const wrong = wrongElements === 0 ? '0 wrong' : `${formatCount(wrongElements)} wrong elements`;
  const parts = [
    `${formatCount(cells.measured)} of ${formatCount(cells.expected)} configurations measured`,
    checks === 0 ? 'nothing verified' : `${formatCount(checks)} checks, ${wrong}`,
    transports.map((one) => `${placeText(one)} ${one.verdict}`).join(', '),
    flagSummary(flagged, cells.measured, flags),
  ].filter((part) => part !== '');
  return `${words[verdict]}: ${parts.join('; ')}.`;
}

/** Returns the name of a transport, and "(emulated)" if a software device takes the place of the card: "sisci (emulated)". */
const placeText = ({ name, medium }: { name: string; medium: string }): string =>
  `${shortTransport(name)}${medium === 'emulated' ? ' (emulated)' : ''}`;

export interface SuiteFindingRow {
  title: string;
  transport: string;
  small: string;
  large: string;
}

export interface SuiteFindingTable {
  heads: { small: string; large: string };
  rows: SuiteFindingRow[];
}

/**
 * Returns a table of a suite's main results, one row per series. If all rows have the same size (x), the column head names it
 * instead of each row.
 */
export function suiteFindingTable({ series }: SuiteFinding, micro: 'us' | 'µs' = 'us'): SuiteFindingTable {
  const ranks = new Set(series.map(({ title }) => ranksOf(title)));
  const head = (side: 'small' | 'large', fallback: string): { text: string; hasAt: boolean } => {
    const figures = series.flatMap((one) => one[side] ?? []);
    const [titles, ats] = [new Set(figures.map(({ title }) => title)), new Set(figures.map(({ at }) => at))];
    const title = titles.size === 1 ? ([...titles][0] as string) : fallback;
    return ats.size === 1 ? { text: `${title} ${[...ats][0]}`, hasAt: true } : { text: title, hasAt: false };
  };
  const [small, large] = [head('small', 'time'), head('large', 'rate')];
  return {
    heads: { small: small.text, large: large.text },
    rows: series.map((one) => ({
      title: ranks.size === 1 ? one.title.replace(ranksPattern, '') : one.title,
      transport: placeText({ name: one.transport, medium: one.medium }),
      small: figureText(one.small, small.hasAt, micro),
      large: figureText(one.large, large.hasAt, micro),
    })),
  };
}

const ranksPattern = /, [\d,]+ ranks?/;
const ranksOf = (title: string): string => ranksPattern.exec(title)?.[0] ?? '';

function figureText(figure: SuiteFindingFigure | null, hasAt: boolean, micro: 'us' | 'µs'): string {
  if (figure === null) return '';
  const value = valueText(figure.unit, figure.value, micro);
  const half = figure.half === null ? '' : ` ${plusMinusHalf(figure.half)}`;
  return `${value}${half}${hasAt ? '' : ` at ${figure.at}`}`;
}
