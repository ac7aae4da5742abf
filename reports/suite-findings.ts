// Texts that say whether a suite works on this machine, for terminal and HTML page.
import type { SuiteFinding, SuiteFindingFigure, SuiteRecord } from '../results/schema/index.ts';
import { flagSummary } from './cell-flags.ts';
import {
  type CellColumn,
  type DocumentBlock,
  type DocumentTable,
  onlyIn,
  tableOf,
} from './document/blocks.ts';
import { figureText as valueText } from './rows.ts';
import { fit } from './terminal/columns.ts';
import { formatCount, labelWith, plural, plusMinusHalf, shortTitles } from './wording.ts';

const words: Record<SuiteFinding['verdict'], string> = {
  works: 'WORKS',
  partly: 'WORKS IN PART',
  fails: 'DOES NOT WORK',
  interrupted: 'INTERRUPTED',
};

/**
 * Returns the sentence that begins with the verdict on a suite (WORKS = every requested configuration was measured, its data were
 * verified, and it used the requested transport) and continues with counts: "WORKS: 30 of 30 configurations measured; 1,234 checks,
 * 0 wrong; socket confirmed, sisci (emulated) confirmed."
 * @param isGated true = without the number of flags, because the verdict of `--gate` has it
 */
function suiteFindingSentence(found: SuiteFinding, isGated: boolean): string {
  const { verdict, cells, checks, wrongElements, transports, flagged = 0, flags = {} } = found;
  const wrong = wrongElements === 0 ? '0 wrong' : `${formatCount(wrongElements)} wrong elements`;
  const parts = [
    `${formatCount(cells.measured)} of ${formatCount(cells.expected)} configurations measured`,
    checks === 0 ? 'nothing verified' : `${formatCount(checks)} checks, ${wrong}`,
    transports.map((one) => `${labelWith(one.name, one.medium)} ${one.verdict}`).join(', '),
    isGated ? '' : flagSummary(flagged, cells.measured, flags),
  ].filter((part) => part !== '');
  return `${words[verdict]}: ${parts.join('; ')}.`;
}

/** Maximum number of characters of one problem of a suite on pages and in terminals; suite.json has the full text. */
const maxProblem = 300;

/**
 * Returns the results of a suite as a document: a verdict sentence, a table of the main results of each series, and the problems,
 * each cut at 300 characters. Terminals show the first eight problems; suite.json has all. The verdict is "works" if every
 * requested configuration was measured, was verified and used the requested transport. Empty until the suite ends.
 * @param answers main results as sentences, from `suiteAnswers`; pages show them before the table, terminals below it
 */
export function findingDocument(
  { found, gate }: Pick<SuiteRecord, 'found' | 'gate'>,
  answers: readonly DocumentBlock[] = [],
): DocumentBlock[] {
  if (found === undefined) return [];
  return [
    {
      kind: 'verdict',
      by: 'suite',
      text: suiteFindingSentence(found, gate !== null),
      isBad: found.verdict !== 'works',
      notes: found.problems.map((text) => fit(text, maxProblem)),
      maxNotes: 8,
      rest: ': suite.json',
    },
    onlyIn('page', ...answers),
    figureTable(found),
    onlyIn('terminal', ...answers),
  ];
}

/**
 * Returns a table with one row per series of the suite: the time at its smallest size and the main rate (such as bus bandwidth) at
 * its largest. If all results of a column are at the same size, the column head names it instead of each row.
 */
function figureTable({ series }: SuiteFinding): DocumentTable {
  const hasOneCount = new Set(series.map(({ ranks }) => ranks)).size === 1;
  const names = shortTitles(series.map(({ title }) => title));
  const column = (side: 'small' | 'large', fallback: string): CellColumn<SuiteFindingSeries> => {
    const figures = series.flatMap((one) => one[side] ?? []);
    const [titles, ats] = [new Set(figures.map(({ title }) => title)), new Set(figures.map(({ at }) => at))];
    const title = titles.size === 1 ? ([...titles][0] as string) : fallback;
    const hasAt = ats.size === 1;
    return {
      head: hasAt ? `${title} ${[...ats][0]}` : title,
      align: 'right',
      isLong: true,
      cell: (one) => figureText(one[side], hasAt),
    };
  };
  return tableOf<SuiteFindingSeries>(
    [
      {
        head: names.head || 'series',
        names: 'beside',
        isLong: true,
        cell: ({ title, ranks, group }) =>
          [
            names.textOf(title),
            ...(hasOneCount ? [] : [plural(ranks, 'rank')]),
            ...(group === null ? [] : [group]),
          ].join(', '),
      },
      {
        head: 'transport',
        maxWidth: 24,
        cell: ({ transport, medium }) => labelWith(transport, medium),
      },
      column('small', 'time'),
      column('large', 'rate'),
    ],
    series,
    {
      caption: 'Figures: smallest and largest size of each series, ± half of the 95 % interval.',
      summary: `Figures of all ${series.length} series`,
      maxRows: 24,
      rest: ': see the report',
    },
  );
}

type SuiteFindingSeries = SuiteFinding['series'][number];

function figureText(figure: SuiteFindingFigure | null, hasAt: boolean): string {
  if (figure === null) return '';
  const half = figure.half === null ? '' : ` ${plusMinusHalf(figure.half)}`;
  return `${valueText(figure.unit, figure.value)}${half}${hasAt ? '' : ` at ${figure.at}`}`;
}
