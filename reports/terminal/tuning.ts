// Terminal output of a tuning table: its rules, and how much faster they are.
import type { TuningRule } from '../../results/schema/index.ts';
import { plural, sizeFlag } from '../wording.ts';
import { column, headLine, line } from './columns.ts';

const columns = [
  column('transport', 'transport', 9, 'left'),
  column('collective', 'collective', 13, 'left', 1),
  column('ranks', 'ranks', 7, 'left', 1),
  column('sizes', 'sizes', 12, 'left', 1),
  column('algorithm', 'algorithm', 18, 'left', 1),
  column('instead', 'built-in', 18, 'left', 1),
  column('gain', 'speedup', 12, 'left', 1),
];

const span = ([low, high]: readonly [number, number], text: (n: number) => string): string =>
  text(low) === text(high) ? text(low) : `${text(low)} to ${text(high)}`;

const rowOf = (rule: TuningRule): Record<string, string> => ({
  ...{ transport: rule.transport, collective: rule.collective, algorithm: rule.algorithm },
  ranks: span(rule.ranks, String),
  sizes: span(rule.bytes, sizeFlag),
  instead: rule.instead ?? '-',
  gain: `${span(rule.gain, (x) => x.toFixed(2))} x`,
});

/**
 * Returns the table of tuning rules (which algorithm to use for which sizes) as text.
 * @param untold number of sizes for which no rule is possible, because they have no interval
 */
export function tuningText(rules: readonly TuningRule[], untold: number): string {
  const lines = [
    rules.length === 0
      ? 'no rule: nowhere is an algorithm faster than the built-in choice by more than both 95 % intervals'
      : `${plural(rules.length, 'rule')}: faster than the built-in choice by more than both 95 % intervals (pipelined time)`,
  ];
  if (rules.length > 0)
    lines.push('', headLine(columns), ...rules.map((rule) => line(columns, rowOf(rule))), '');
  if (untold > 0)
    lines.push(`${plural(untold, 'size')} without an interval: no rule there; raise --launches`);
  return `${lines.join('\n')}\n`;
}
