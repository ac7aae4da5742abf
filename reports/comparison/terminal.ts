import pc from 'picocolors';
import type { Colors } from 'picocolors/types.js';
import { changeText, intervalText, nameOfOther } from '../../results/compare/index.ts';
import type {
  CellChange,
  Comparison,
  ComparisonChange,
  GroupChange,
  PairOfRuns,
} from '../../results/schema/index.ts';
import { column, fit, headLine, line, type StyledText, widthOf } from '../terminal/columns.ts';
import { formatTime, plural, wrap } from '../wording.ts';
import { hiddenGroups, openSentence } from './open.ts';
import {
  adviceSentence,
  betweenRunsSentences,
  bySeries,
  changeVerdictTexts,
  detectableText,
  foldLoad,
  missingSentences,
  plain,
  refusedSentences,
  settingText,
  trialText,
  xOfKey,
  xTexts,
} from './texts.ts';

export interface ComparisonTextOptions {
  /** Characters per line; values below 40 count as 40. */
  columns: number;
  color: boolean;
  /** True to list every size, not only those that changed. */
  all: boolean;
}

/**
 * Returns the comparison of all runs with the first run as text: size ranges, changed sizes, what was left out, other
 * differences, verdict.
 */
export function comparisonText(comparison: Comparison, options: ComparisonTextOptions): string {
  const width = Math.max(40, options.columns);
  const colours = pc.createColors(options.color);
  const { pairs } = comparison;
  const [only, ...others] = pairs;
  const lines = [
    ...runLines(comparison, width),
    ...(only !== undefined && others.length === 0
      ? pairLines(only, width, colours, options.all)
      : manyLines(pairs, width, colours, options.all)),
    ...pairs.flatMap((pair) =>
      closing(comparison, pair, width, colours, { isOne: pairs.length === 1, all: options.all }),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const endedText = { failed: 'it failed', interrupted: 'interrupted', running: 'not ended' };

function runLines({ base, others }: Comparison, width: number): string[] {
  return [base, ...others].map((run, i) => {
    const when = run.startedAt.replace('T', ' ').slice(0, 16);
    const text = `${i === 0 ? 'base' : 'with'}  ${plain(run.id, 12)}${run.label === undefined ? '' : `  '${plain(run.label, 30)}'`}  ${when}  ${plural(run.launches, 'launch', 'launches')}${run.ended === undefined ? '' : `, ${endedText[run.ended]}`}  ${plain(run.title)}`;
    return fit(text, width);
  });
}

function paintOf(verdict: ComparisonChange['verdict'], colours: Colors): (text: string) => string {
  if (verdict === 'slower') return colours.red;
  if (verdict === 'faster') return colours.green;
  return verdict === 'same' ? (text) => text : colours.yellow;
}

const verdictText = (change: ComparisonChange, colours: Colors): StyledText => ({
  text: changeVerdictTexts[change.verdict],
  paint: paintOf(change.verdict, colours),
});

/**
 * Returns the lines of the comparison with one other run: each size range, followed by its changed sizes.
 * @param all true = every size, not only changed ones
 */
function pairLines(pair: PairOfRuns, width: number, colours: Colors, all: boolean): string[] {
  const isWide = width >= 76;
  const sizes = column('sizes', 'size', 17, 'left', 0);
  const change = column('change', 'time', 25, 'left');
  const verdict = column('verdict', 'verdict', 13, 'left');
  const times = column('times', 'base -> other', width - 61, 'left');
  const columns = isWide ? [sizes, change, verdict, ...(times.width >= 18 ? [times] : [])] : [sizes, change];
  const row = (name: string, of: ComparisonChange, shown: string) => {
    const values = { sizes: name, change: intervalText(of), verdict: verdictText(of, colours), times: shown };
    if (isWide) return [line(columns, values)];
    const { paint, text } = verdictText(of, colours);
    const compact = [column('sizes', '', 16, 'left', 0), column('change', '', width - 18, 'left')];
    const word = (paint ?? ((t: string) => t))(text);
    return [line(compact, { sizes: name, change: intervalText(of) }), `${' '.repeat(18)}${word}`];
  };
  const hidden = all ? [] : hiddenGroups(pair);
  const shownGroups = pair.groups.filter((group) => !hidden.includes(group));
  return [...bySeries(shownGroups)].flatMap(([title, groups]) => [
    '',
    ...wrap(plain(title, 160), width),
    ...(isWide ? [colours.dim(headLine(columns))] : []),
    ...groups.flatMap((group) => [
      ...row(
        xTexts(group.key, group.xs),
        group.change,
        `${trialText(group.key, group.change)}, ${plural(group.xs.length, xOfKey(group.key).noun)}`,
      ),
      ...shownCells(pair, group, all).flatMap((cell) =>
        row(
          `  ${xTexts(cell.id, [cell.x])}`,
          cell.change,
          `${formatTime(cell.base)} -> ${formatTime(cell.other)}`,
        ),
      ),
    ]),
  ]);
}

const mostCells = 12;

/**
 * Returns the single sizes of a size range (`key`) that get a line of their own: sizes that changed or may have changed, up to
 * a maximum. Sizes with verdict "same" or "not enough data" get none. A range of one size has no such lines.
 * @param all true = every size
 */
function shownCells({ cells }: PairOfRuns, { key }: GroupChange, all: boolean): CellChange[] {
  const own = cells.filter(({ group }) => group === key);
  // A group with one size has the same verdict as that size.
  if (own.length === 1) return [];
  if (all) return own;
  const changed = own.filter(
    ({ change }) => change.verdict !== 'same' && change.verdict !== 'not-enough-data',
  );
  return changed.slice(0, mostCells);
}

/**
 * Returns the lines of the comparison with several other runs, one column per run.
 * @param isAll true = also size ranges without a verdict
 */
function manyLines(pairs: readonly PairOfRuns[], width: number, colours: Colors, isAll: boolean): string[] {
  const left = column('sizes', 'size', 18, 'left', 0);
  const fits = Math.max(1, Math.floor((width - left.width) / 22));
  const parts: PairOfRuns[][] = [];
  for (let from = 0; from < pairs.length; from += fits) parts.push(pairs.slice(from, from + fits));
  const hidden = isAll ? [] : hiddenInAll(pairs);
  const shown = pairs.flatMap(({ groups }) => groups.filter(({ key }) => !hidden.includes(key)));
  const titles = [...new Set(shown.map(({ title }) => title))];
  return titles.flatMap((title) =>
    parts.flatMap((part) => {
      const columns = [
        left,
        ...part.map((pair, i) => column(`${i}`, plain(nameOfOther(pair), 20), 20, 'left')),
      ];
      const text = (change: ComparisonChange | undefined): StyledText | string =>
        change === undefined
          ? ''
          : {
              text: `${changeOnly(change)} ${changeVerdictTexts[change.verdict]}`,
              paint: paintOf(change.verdict, colours),
            };
      const groups = part.flatMap((pair) =>
        pair.groups.filter((group) => group.title === title && !hidden.includes(group.key)),
      );
      const keys = [...new Set(groups.map(({ key }) => key))];
      return [
        '',
        ...wrap(plain(title, 160), width),
        colours.dim(fit(headLine(columns), Math.max(width, widthOf(columns)))),
        ...keys.flatMap((key) => {
          const all = groups.find((group) => group.key === key)?.xs ?? [];
          const own = part.map((pair) => pair.groups.find((group) => group.key === key));
          const xs = [
            ...new Set(
              part.flatMap((pair, i) =>
                own[i] === undefined ? [] : shownCells(pair, own[i], isAll).map(({ x }) => x),
              ),
            ),
          ].sort((a, b) => a - b);
          const values = (of: (pair: PairOfRuns, i: number) => ComparisonChange | undefined) =>
            Object.fromEntries(part.map((pair, i) => [`${i}`, text(of(pair, i))]));
          return [
            line(columns, { sizes: xTexts(key, all), ...values((_, i) => own[i]?.change) }),
            ...xs.map((x) =>
              line(columns, {
                sizes: `  ${xTexts(key, [x])}`,
                ...values((pair) => pair.cells.find((c) => c.group === key && c.x === x)?.change),
              }),
            ),
          ];
        }),
      ];
    }),
  );
}

/** Returns the keys of size ranges that the tables hide because no run has a verdict on them. */
function hiddenInAll(pairs: readonly PairOfRuns[]): string[] {
  const hidden = pairs.map((pair) => new Set(hiddenGroups(pair).map(({ key }) => key)));
  const keys = new Set(pairs.flatMap(({ groups }) => groups.map(({ key }) => key)));
  return [...keys].filter((key) =>
    pairs.every((pair, i) => hidden[i]?.has(key) === true || pair.groups.every((one) => one.key !== key)),
  );
}

const changeOnly = ({ ratio }: ComparisonChange): string => changeText(ratio);

/** True if the change of time has no interval but a range from the lowest to the highest launch, which is then printed. */
const hasRange = ({ low, observed }: ComparisonChange): boolean => low === null && observed[0] < observed[1];

const mostSettings = 12;

function closing(
  comparison: Comparison,
  pair: PairOfRuns,
  width: number,
  colours: Colors,
  { isOne, all }: { isOne: boolean; all: boolean },
): string[] {
  const said = (text: string, indent = '  ') => wrap(text, width, indent);
  const hidden = all ? [] : hiddenGroups(pair);
  const shown = pair.groups.filter((group) => !hidden.includes(group)).map((group) => group.change);
  const seen = detectableText(pair);
  const advice = adviceSentence(comparison, pair);
  const folded = foldLoad(pair.settings);
  const more = folded.length - mostSettings;
  const settings = folded.slice(0, mostSettings).map((setting) => settingText(setting));
  const notes = [...betweenRunsSentences(comparison), ...refusedSentences(pair), ...missingSentences(pair)];
  return [
    '',
    ...(isOne ? [] : [colours.bold(plain(nameOfOther(pair), 40))]),
    ...(hidden.length === 0 ? [] : said(plain(`${openSentence(pair, hidden)} (--all lists them)`, 600))),
    ...(isOne && shown.some(hasRange)
      ? said('(a to b): lowest and highest launch, without a 95 % interval')
      : []),
    ...notes.flatMap((text) => said(text)),
    ...(settings.length === 0
      ? said('between the runs: no recorded setting differs')
      : said(`between the runs: ${settings.join(' · ')}${more > 0 ? ` · and ${more} more (--json)` : ''}`)),
    ...(seen === null ? [] : said(`smallest detectable change: ${seen}`)),
    ...said(plain(pair.summary, 600), '').map((text) => colours.bold(text)),
    ...(advice === null ? [] : said(`Advice: ${advice}`)),
  ];
}
