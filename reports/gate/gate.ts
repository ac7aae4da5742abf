// Texts of the gate's verdict for terminals and pull requests.
import { gateRecord, shownChange } from '../../results/baseline/verdict.ts';
import { changeText, effectText, intervalText } from '../../results/compare/index.ts';
import { escapeMarkdown } from '../../results/markup-text.ts';
import type { GateCell, GateChange, GateGroup, GateResult } from '../../results/schema/index.ts';
import { flagsSentence } from '../cell-flags.ts';
import { foldLoad, plain, settingText, xTexts } from '../comparison/texts.ts';
import { plural, wrap } from '../wording.ts';
import { detectionLines } from './detection.ts';
import { hiddenOf, openText } from './gate-open.ts';

/**
 * Verdicts on a size range (small, middle or large sizes of one series) that get a line of their own in the gate's output,
 * most serious first.
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
 * Returns the verdict as text. A size range that looked slower is measured a second time; the text then also has the change of
 * the first measurement.
 */
function verdictText({ verdict, change, confirmation, reason }: GateGroup | GateCell): string {
  if (verdict === 'transient')
    return `slower at first (${changeText(change.ratio)}), not when measured again`;
  const first =
    confirmation === null || verdict === 'slower' ? '' : ` (${changeText(change.ratio)} at first)`;
  return `${words[verdict]}${first}${reason === null || reason === undefined ? '' : `: ${reason}`}`;
}

export const detectableText = ({ detectable }: GateChange): string =>
  detectable === null ? 'none' : effectText(detectable);

/** Returns the single sizes of a size range that are slower. */
const slowCells = (result: GateResult, group: GateGroup): GateCell[] =>
  result.cells.filter(
    (cell) => cell.entry === group.entry && cell.group === group.key && cell.verdict === 'slower',
  );

/** Returns single sizes with a bad verdict that their size range as a whole does not have. */
const loneCells = (result: GateResult): GateCell[] =>
  result.cells.filter((cell) => {
    if (!['slower', 'unconfirmed', 'transient'].includes(cell.verdict)) return false;
    const group = result.groups.find(({ entry, key }) => entry === cell.entry && key === cell.group);
    return group?.verdict !== cell.verdict;
  });

/**
 * Texts about one size range or single size with a bad verdict, for a line or table row. `entry` is the suite entry (benchmark
 * command) that measured it.
 */
export interface TroubleLine {
  what: string;
  entry: string;
  sizes: string;
  change: string;
  verdict: string;
  detectable: string;
}

/**
 * Returns texts about all size ranges and single sizes with bad verdicts, most serious first.
 * @param without size ranges that are reported elsewhere
 */
export function troubleLines(result: GateResult, without: readonly GateGroup[] = []): TroubleLine[] {
  const inTrouble = troubles.flatMap((verdict) =>
    result.groups
      .filter((group) => group.verdict === verdict && !without.includes(group))
      .sort((a, b) => shownChange(b).ratio - shownChange(a).ratio),
  );
  const groups = inTrouble.map((group): TroubleLine => {
    const slow = slowCells(result, group).map(({ x }) => x);
    const { title, entry } = group;
    return {
      what: title,
      entry,
      sizes: xTexts(group.key, slow.length > 0 ? slow : group.xs),
      change: intervalText(gateRecord(group)),
      verdict: verdictText(group),
      detectable: detectableText(shownChange(group)),
    };
  });
  const cells = loneCells(result).map((cell): TroubleLine => {
    const { title, entry, group, x } = cell;
    return {
      what: title,
      entry,
      sizes: xTexts(group, [x]),
      change: intervalText(gateRecord(cell)),
      verdict: verdictText(cell),
      detectable: detectableText(shownChange(cell)),
    };
  });
  return [...groups, ...cells];
}

/** Maximum number of changed settings in the text; the file suite.json has all. */
const mostChanged = 12;

/**
 * Returns the settings that differ from the reference: "nccl 2.28.9 -> 2.30.7 (large, small)". The text in parentheses names
 * the suite entries with that difference; it is absent if all have it.
 */
export function changeTexts({ changed = [], groups }: GateResult, arrow = '->'): string[] {
  const entries = new Set(groups.map(({ entry }) => entry));
  const folded = foldLoad(changed);
  const told = folded.slice(0, mostChanged).map((setting) => {
    const isEverywhere =
      setting.about === 'load' || [...entries].every((entry) => setting.entries.includes(entry));
    return `${settingText(setting, arrow)}${isEverywhere ? '' : ` (${plain(setting.entries.join(', '), 60)})`}`;
  });
  const more = folded.length - mostChanged;
  return more > 0 ? [...told, `and ${more} more (suite.json)`] : told;
}

const mostLines = 20;

/**
 * Returns the gate's result for a terminal: the verdict, then size ranges with bad verdicts, then advice.
 * @param width width of the terminal in characters
 * @param all true = also lists every size range without a verdict
 */
export function gateText(result: GateResult, width: number, all = false): string {
  const lines = [...wrap(result.sentence, width)];
  if (result.reference !== null) lines.push(...wrap(result.reference.method, width, '  '));
  const changed = changeTexts(result);
  if (changed.length > 0) lines.push(...wrap(`Other differences: ${changed.join(' · ')}`, width, '  '));
  for (const { sentence } of result.failures.slice(1, mostLines))
    lines.push(...wrap(sentence, width - 2, '    ').map((line) => `  ${line}`));
  const hidden = all ? [] : hiddenOf(result);
  const told = troubleLines(result, hidden);
  for (const line of told.slice(0, all ? told.length : mostLines)) {
    lines.push('', ...wrap(`${line.entry}: ${line.what}`, width, '  '));
    lines.push(
      ...wrap(
        `${line.sizes}: ${line.change} time, ${line.verdict} (smallest detectable change: ${line.detectable})`,
        width - 2,
        '  ',
      ).map((text) => `  ${text}`),
    );
  }
  if (!all && told.length > mostLines) lines.push(`  and ${told.length - mostLines} more`);
  if (hidden.length > 0) {
    const text = openText(result, hidden);
    const isHeadline = result.sentence === `NO VERDICT${text.slice('no verdict'.length)}.`;
    const where = isHeadline
      ? 'size ranges without a verdict: --all lists them'
      : `${text} (--all lists them`;
    lines.push('', ...wrap(plain(`${where}, so does the report${isHeadline ? '' : ')'}`, 600), width, '  '));
  }
  const quiet = result.groups.filter(({ verdict }) => verdict === 'same');
  if (quiet.length > 0) {
    const seen = quiet.flatMap(({ change }) => change.detectable ?? []);
    const most = seen.length === 0 ? '' : `; smallest detectable change ${effectText(Math.max(...seen))}`;
    lines.push('', ...wrap(`no change detected in ${plural(quiet.length, 'size range')}${most}`, width));
  }
  if (result.groups.length > 0) lines.push(...detectionLines(result, width));
  const flagged = flagsSentence(result.flags);
  for (const note of [...(flagged === '' ? [] : [flagged]), ...(result.notes ?? [])])
    lines.push(...wrap(note, width, '  '));
  for (const advice of result.advice) lines.push(...wrap(`Advice: ${advice}`, width, '  '));
  return `${lines.join('\n')}\n`;
}

/** Returns the gate's result as Markdown for a pull request comment or a step summary of GitHub Actions. */
export function gateMarkdown(result: GateResult): string {
  const hidden = hiddenOf(result);
  const isHidden = troubleLines({ ...result, groups: hidden, cells: [] });
  const table = rowsOf(troubleLines(result, hidden));
  const open =
    hidden.length === 0
      ? []
      : [
          '',
          `<details><summary>${escapeMarkdown(openText(result, hidden))}</summary>`,
          ...rowsOf(isHidden),
          '',
          '</details>',
        ];
  const failures = result.failures.map(({ sentence }) => `- ${escapeMarkdown(sentence)}`);
  const changed = changeTexts(result, '→').map((text) => `- ${escapeMarkdown(text)}`);
  const flagged = flagsSentence(result.flags);
  const advice = [
    ...[...(flagged === '' ? [] : [flagged]), ...(result.notes ?? [])].map(
      (text) => `- ${escapeMarkdown(text)}`,
    ),
    ...result.advice.map((text) => `- Advice: ${escapeMarkdown(text)}`),
  ];
  return `${[
    `### ${escapeMarkdown(result.suite.name)}: ${escapeMarkdown(result.sentence)}`,
    ...(result.reference === null ? [] : ['', escapeMarkdown(result.reference.method)]),
    ...table,
    ...open,
    ...(changed.length === 0 ? [] : ['', 'Other differences:', '', ...changed]),
    ...(failures.length === 0 ? [] : ['', ...failures]),
    ...(advice.length === 0 ? [] : ['', ...advice]),
  ].join('\n')}\n`;
}

function rowsOf(lines: readonly TroubleLine[]): string[] {
  if (lines.length === 0) return [];
  return [
    '',
    '| entry | series | sizes | time | verdict | smallest detectable change |',
    '|---|---|---|---|---|---|',
    ...lines.map(
      ({ what, entry, sizes, change, verdict, detectable }) =>
        `| ${[entry, what, sizes, change, verdict, detectable].map(escapeMarkdown).join(' | ')} |`,
    ),
  ];
}
