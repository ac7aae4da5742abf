// The verdict of `suite --gate` as a document for terminals, pull requests and the HTML page of a suite.

import { type Regime, regimeText } from '../../results/derive/cells/cell-group.ts';
import { gateRecord, shownChange } from '../../results/gate/conclude.ts';
import { nameOfGroup } from '../../results/history/series-name.ts';
import { changeText, effectText, intervalText } from '../../results/judge/verdict-text.ts';
import type { GateCell, GateChange, GateGroup, GateResult } from '../../results/schema/index.ts';
import { flagsSentence } from '../cell-flags.ts';
import { settingTable } from '../comparison/document.ts';
import { hiddenIfMany, type OpenChange, openSentence } from '../comparison/open.ts';
import { foldSettings, plain, xTexts } from '../comparison/texts.ts';
import { type DocumentBlock, type DocumentTable, onlyIn, tableOf } from '../document/blocks.ts';
import { markdownText } from '../document/markdown.ts';
import { terminalText } from '../document/terminal.ts';
import { formatPercent, plural, valueRange } from '../wording.ts';
import { pairTable } from './pairs.ts';

/**
 * Verdicts on a size range (small, middle or large sizes of one series) for which the gate's output has a line per size range, most
 * serious first.
 */
const troubles = ['slower', 'unconfirmed', 'unclear', 'transient', 'faster'] as const;

const words: Record<Exclude<GateGroup['verdict'], 'transient'>, string> = {
  slower: 'slower, seen again in a second measurement',
  unconfirmed: 'not confirmed',
  faster: 'faster',
  unclear: 'no verdict',
  same: 'no change detected',
};

/**
 * Returns the verdict on a size range or single size as text, with its reason. What looked slower is measured a second time; if
 * that did not confirm it, the text also has the change of the first measurement. With pairs of launches there is no second
 * measurement; the text then says after how many pairs "slower" was certain.
 */
function verdictText(judged: GateGroup | GateCell): string {
  const { verdict, change, confirmation, reason } = judged;
  const pairs = pairCount(judged);
  if (verdict === 'slower' && pairs !== null) return `slower, certain after ${plural(pairs, 'pair')}`;
  if (verdict === 'transient')
    return `slower at first (${changeText(change.ratio)}), not when measured again`;
  const first =
    confirmation === null || verdict === 'slower' ? '' : ` (${changeText(change.ratio)} at first)`;
  return `${words[verdict]}${first}${reason === null || reason === undefined ? '' : `: ${reason}`}`;
}

/**
 * Returns the number of pairs of launches (one of each build) that the gate measured for this size range or size; null if launches
 * were not measured in pairs.
 */
const pairCount = (judged: GateGroup | GateCell): number | null => {
  if ('sequence' in judged) return judged.sequence?.looks.length ?? null;
  return judged.change.adjustedP === null && judged.change.pValue !== null
    ? judged.change.launches.tonight
    : null;
};

const isInPairs = ({ groups }: GateResult): boolean => groups.some(({ sequence }) => sequence !== undefined);

const detectableText = ({ detectable }: GateChange): string =>
  detectable === null ? 'none' : effectText(detectable);

/**
 * Returns the single message sizes within one size range (small, middle or large sizes of a series) that the gate judged slower.
 */
const slowCells = (result: GateResult, group: GateGroup): GateCell[] =>
  result.cells.filter(
    (cell) => cell.entry === group.entry && cell.group === group.key && cell.verdict === 'slower',
  );

/**
 * Returns the single message sizes whose verdict differs from that of the size range which contains them. Only sizes that are
 * slower, unconfirmed, or slower only at first are returned.
 */
const loneCells = (result: GateResult): GateCell[] =>
  result.cells.filter((cell) => {
    if (!['slower', 'unconfirmed', 'transient'].includes(cell.verdict)) return false;
    const group = result.groups.find(({ entry, key }) => entry === cell.entry && key === cell.group);
    return group?.verdict !== cell.verdict;
  });

/** A size range or single size whose verdict is not "same". `sizes`: the sizes that are named for it. */
interface TroubleLine {
  judged: GateGroup | GateCell;
  sizes: string;
}

/**
 * Returns all size ranges with another verdict than "same", also faster ones: the most serious first, larger slowdowns before
 * smaller. Single message sizes with a bad verdict that their range does not have come last.
 * @param without size ranges to leave out, because another place of the document has them
 */
function troubleLines(result: GateResult, without: readonly GateGroup[] = []): TroubleLine[] {
  const inTrouble = troubles.flatMap((verdict) =>
    result.groups
      .filter((group) => group.verdict === verdict && !without.includes(group))
      .sort((a, b) => shownChange(b).ratio - shownChange(a).ratio),
  );
  const groups = inTrouble.map((group): TroubleLine => {
    const slow = slowCells(result, group).map(({ x }) => x);
    return { judged: group, sizes: xTexts(group.key, slow.length > 0 ? slow : group.xs) };
  });
  const cells = loneCells(result).map(
    (cell): TroubleLine => ({ judged: cell, sizes: xTexts(cell.group, [cell.x]) }),
  );
  return [...groups, ...cells];
}

/**
 * Returns the result of `suite --gate` (regression check of a benchmark suite) for a terminal without colours, the verdict last.
 * @param columns width of the terminal in characters
 * @param all true = prints all rows of tables, and the details that HTML pages show folded
 */
export const gateText = (result: GateResult, columns: number, all = false): string =>
  terminalText(gateDocument(result), { columns, color: false, all });

/** Returns the result of `suite --gate` (regression check) as Markdown for a pull request comment or a GitHub step summary. */
export const gateMarkdown = (result: GateResult): string => markdownText(gateDocument(result));

/**
 * Returns the result of `suite --gate` (regression check): verdict, failures, size ranges with another verdict than "same", and
 * settings that differ from the reference. Terminals and pages also have a table of the smallest detectable changes, or of the
 * evidence from pairs of launches if the gate measured in pairs. Many size ranges without a verdict are folded.
 */
export function gateDocument(result: GateResult): DocumentBlock[] {
  const { suite, sentence, reference, failures, advice, next, notes = [], verdict } = result;
  const hidden = hiddenIfMany(result.groups.filter((group) => group.verdict === 'unclear'));
  const open = openSentence(openChanges(hidden, result.mustDetect), result.groups.length);
  // If all size ranges lack a verdict for one reason, the gate's own verdict has that reason, and the text below does not repeat
  // it.
  const isVerdict =
    verdict === 'no-verdict' &&
    new Set(hidden.map(({ reason }) => reason)).size === 1 &&
    hidden.every((group) => shownChange(group).detectable === null);
  const quiet = result.groups.filter((group) => group.verdict === 'same');
  const flagged = flagsSentence(result.flags);
  const detectable = quiet.flatMap(({ change }) => change.detectable ?? []);
  const least =
    detectable.length === 0 ? '' : `; smallest detectable change ${effectText(Math.max(...detectable))}`;
  return [
    {
      kind: 'verdict',
      by: suite.name,
      text: sentence,
      isBad: verdict !== 'pass',
      notes: [
        ...(reference === null ? [] : [reference.method]),
        ...(flagged === '' ? [] : [flagged]),
        ...notes,
      ],
      advice,
      ...(next === undefined ? {} : { next }),
    },
    { kind: 'list', title: '', items: failures.map((failure) => failure.sentence), maxItems: maxLines },
    troubleTable(troubleLines(result, hidden)),
    ...(hidden.length === 0
      ? []
      : [
          {
            kind: 'folded' as const,
            summary: isVerdict ? 'size ranges without a verdict' : plain(open, 600),
            body: [troubleTable(troubleLines({ ...result, groups: hidden, cells: [] }))],
          },
        ]),
    ...(quiet.length === 0
      ? []
      : [
          onlyIn('terminal', {
            kind: 'paragraph',
            text: isInPairs(result)
              ? `the same within ${formatPercent(result.mustDetect)} in ${plural(quiet.length, 'size range')}`
              : `no change detected in ${plural(quiet.length, 'size range')}${least}`,
          }),
        ]),
    {
      kind: 'only',
      forms: ['terminal', 'page'],
      body: [isInPairs(result) ? pairTable(result) : detectionBlock(result)],
    },
    {
      kind: 'section',
      title: 'Other differences',
      body: [changeTable(result)],
    },
  ];
}

/**
 * Returns the changes of size ranges without a verdict, with their reasons. Where the smallest detectable change is known, the
 * reason is noise, and the text names the lowest and the highest of these detectable changes.
 * @param hidden size ranges without a verdict
 * @param mustDetect change that the gate must be able to detect, as a share of the time (0.05 = 5 %)
 */
function openChanges(hidden: readonly GateGroup[], mustDetect: number): OpenChange[] {
  const seen = hidden.flatMap((group) => shownChange(group).detectable ?? []);
  const reason = `too noisy, only changes above ${valueRange(seen, effectText)} would be detected (the gate must detect ${formatPercent(mustDetect)})`;
  return hidden.map((group) => {
    const { ratio, detectable } = shownChange(group);
    return { ...(detectable === null ? group : { doubt: 'scatter', reason }), ratio };
  });
}

const maxLines = 20;

const troubleTable = (lines: readonly TroubleLine[]): DocumentTable =>
  tableOf(
    [
      {
        head: 'entry and series',
        names: 'above',
        isLong: true,
        cell: ({ judged: { entry, title } }) => (entry === title ? entry : `${entry}: ${title}`),
      },
      { head: 'sizes', cell: ({ sizes }) => sizes },
      { head: 'time', cell: ({ judged }) => intervalText(gateRecord(judged)) },
      { head: 'verdict', isLong: true, isVerdict: true, cell: ({ judged }) => verdictText(judged) },
      { head: 'detectable', align: 'right', cell: ({ judged }) => detectableText(shownChange(judged)) },
    ],
    lines,
    {
      caption:
        'Differences from the reference. Times, so + is slower; [ ] is the 95 % interval, ( ) the lowest and highest launch. “detectable”: the smallest change that would be detected with 80 % power; with pairs of launches, the margin within which the verdict can be “same”.',
      maxRows: maxLines,
    },
  );

/**
 * Returns a table of recorded settings that differ from the reference run, with the suite entries in which each setting differs.
 * The system load has one row; "all" stands for every entry.
 */
function changeTable({ changed = [], groups }: GateResult): DocumentTable {
  const entries = new Set(groups.map(({ entry }) => entry));
  return settingTable(foldSettings(changed), 'What differs from the reference', ' (suite.json)', [
    {
      head: 'entries',
      cell: (setting) =>
        setting.about === 'load' || [...entries].every((entry) => setting.entries.includes(entry))
          ? 'all'
          : plain(setting.entries.join(', '), 60),
    },
  ]);
}

/**
 * Row of the table of detectable changes: the smallest changes that the gate would detect in one series of one suite entry (a
 * benchmark command of the suite).
 */
interface DetectionRow {
  entry: string;
  /** Title of the series. */
  title: string;
  /** Smallest detectable change in each size range: "1.2 %" or "none"; a range is absent if the series has no sizes in it. */
  sees: Partial<Record<Regime, string>>;
}

/**
 * Returns a table of the smallest change of time that the gate would detect, per series and size range. If it would detect none
 * in any range, a sentence says so.
 */
function detectionBlock({ groups }: GateResult): DocumentBlock {
  if (groups.length > 0 && groups.every(({ change }) => change.detectable === null))
    return {
      kind: 'paragraph',
      isSentence: true,
      text: 'smallest detectable change: none in any size range',
    };
  const rows = new Map<string, DetectionRow>();
  for (const { entry, change, key } of groups) {
    const { regime, series, title } = nameOfGroup(key);
    const row = rows.get(`${entry}\n${series}`) ?? { entry, title, sees: {} };
    row.sees[regime] = detectableText(change);
    rows.set(`${entry}\n${series}`, row);
  }
  const all = [...rows.values()];
  return tableOf<DetectionRow>(
    [
      {
        head: 'smallest detectable change',
        names: 'beside',
        isLong: true,
        cell: ({ entry, title }) => `${entry}: ${title}`,
      },
      ...(Object.keys(regimeText) as Regime[])
        .filter((regime) => all.some(({ sees }) => sees[regime] !== undefined))
        .map((regime) => ({
          head: regimeText[regime],
          align: 'right' as const,
          cell: ({ sees }: DetectionRow) => sees[regime] ?? '',
        })),
    ],
    all,
    {
      caption:
        'Smallest change of a size range that would be detected with 80 % power, from the scatter of these launches and between nights; with pairs of launches, the margin within which the verdict can be “same”.',
      maxRows: 30,
      rest: ': suite.json',
    },
  );
}
